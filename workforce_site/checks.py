"""Combinations of settings that must not start, or must not be deployed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning, register

LOOPBACK = {"localhost", "127.0.0.1", "[::1]", "testserver"}


@register()
def check_open_mode(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Open mode serves this machine only."""
    outside = [host for host in settings.ALLOWED_HOSTS if host not in LOOPBACK]
    if settings.WORKFORCE_AUTH == "open" and outside:
        return [
            Error(
                f"WORKFORCE_AUTH=open with ALLOWED_HOSTS {', '.join(outside)}",
                hint="Open mode asks for no credentials: keep loopback names only, or set WORKFORCE_AUTH=keys.",
                id="workforce.E001",
            )
        ]
    return []


@register(Tags.security, deploy=True)
def check_not_open(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Open mode is never deployed."""
    if settings.WORKFORCE_AUTH != "open":
        return []
    return [
        Error(
            "WORKFORCE_AUTH=open must not be deployed",
            hint="Set WORKFORCE_AUTH=keys and DEBUG=0, and issue keys with 'manage.py actor add'.",
            id="workforce.E002",
        )
    ]


@register()
def check_write_rate(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """The write rate can be read."""
    if settings.WRITE_RATE and not re.fullmatch(
        r"[1-9][0-9]{0,8}/(s|sec|m|min|h|hour|d|day)", settings.WRITE_RATE
    ):
        return [
            Error(
                f"WRITE_RATE={settings.WRITE_RATE!r} cannot be read",
                hint="Write a number and a unit, for example 6000/min, or leave it empty.",
                id="workforce.E003",
            )
        ]
    return []


@register()
def check_model_endpoint(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """The model's endpoint can be called, and the model's name read."""
    found: list[CheckMessage] = []
    url = settings.WORKFORCE_MODEL_BASE_URL
    if url and not re.fullmatch(r"https?://[^\s/@?#]+(/[^\s@?#]*)?", url):
        found.append(
            Error(
                "WORKFORCE_MODEL_BASE_URL cannot be read as the URL of an endpoint",
                hint="Write for example http://127.0.0.1:11434/v1, with the key in WORKFORCE_MODEL_API_KEY.",
                id="workforce.E004",
            )
        )
    if re.search(r"\s|:$|^:", settings.WORKFORCE_MODEL):
        found.append(
            Error(
                f"WORKFORCE_MODEL={settings.WORKFORCE_MODEL!r} is no name of a model",
                hint="Write offline:extract, openai:<name>, anthropic:<name>, or a bare name.",
                id="workforce.E005",
            )
        )
    return found


@register()
def check_tree(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """What is loaded by default is there. Serving does not need it, so this is a warning."""
    if Path(settings.WORKFORCE_TREE).is_dir():
        return []
    return [
        Warning(
            f"WORKFORCE_TREE={settings.WORKFORCE_TREE!r} names no folder",
            hint="Name the folder that holds teams/ and org/; until then load_workforce needs ROOT.",
            id="workforce.W001",
        )
    ]
