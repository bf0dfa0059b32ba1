"""A setting that would start and fail later stops the start, by name and with the mend."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from tests.stories.server import ROOT
from workforce.services.organizations import MAX_USERNAME_LENGTH
from workforce_site import env
from workforce_site.checks import check_tree


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A machine on which a package is not installed."""

    def lose(*packages: str) -> None:
        monkeypatch.setattr(env, "find_spec", lambda name: None if name in packages else object())

    return lose


def test_start__a_bad_setting_is_named_in_one_line() -> None:
    variables = {"DEBUG": "1", "HISTORY_WINDOW": "abc", "DJANGO_SETTINGS_MODULE": "workforce_site.settings"}
    ran = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 1
    assert "HISTORY_WINDOW" in ran.stderr and "Traceback" not in ran.stderr


def refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str, reader: Any, *words: Any) -> str:
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=name) as told:
        reader(name, *words)
    return str(told.value)


@pytest.mark.parametrize(
    ("name", "value", "reader"),
    [
        ("DISPATCH", "maybe", lambda name: env.env_choice(name, "enabled", ("enabled", "disabled"))),
        ("DEBUG", "x", lambda name: env.env_bool(name, default=False)),
        ("HISTORY_WINDOW", "0", lambda name: env.env_int(name, 50, minimum=1, maximum=100)),
    ],
)
def test_reader__names_the_variable(
    name: str, value: str, reader: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused(monkeypatch, name, value, reader)


@pytest.mark.parametrize("value", ["", " ", "Acme", "a b", "a--b", "-a", "a" * 65])
def test_organization__must_be_a_slug(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no slug" in refused(monkeypatch, "DEFAULT_ORGANIZATION", value, env.env_slug, "default")


@pytest.mark.parametrize("value", ["", "  ", "u" * 151, "a\tb"])
def test_user__must_be_one(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "1 to 150" in refused(monkeypatch, "DEFAULT_USER", value, env.env_username, "local")
    assert env.MAX_USERNAME_LENGTH == MAX_USERNAME_LENGTH


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("reddis://:secret@host", "did you mean 'redis://'?"),
        ("localhost:6379", "use memory://"),
        ("redis://a;nope://b", "'nope://' is no broker's scheme"),
        ("http://:secret@host", "use memory://"),
    ],
)
def test_broker__an_unknown_scheme(url: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    told = refused(monkeypatch, "CELERY_BROKER_URL", url, env.env_broker, "memory://")
    assert words in told and "secret" not in told


@pytest.mark.parametrize("scheme", ["redis", "rediss", "sentinel", "redis+socket"])
def test_broker__redis_without_its_packages(
    scheme: str, without: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    without("redis")
    told = refused(monkeypatch, "CELERY_BROKER_URL", f"{scheme}://h", env.env_broker, "memory://")
    assert "pip install redis" in told


@pytest.mark.parametrize("url", ["", "memory://", "redis://h:1/0", "amqp://u:p@h//", "amqp://a;amqp://b"])
def test_broker__that_is_known(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CELERY_BROKER_URL", url)
    assert env.env_broker("CELERY_BROKER_URL", "memory://") == (url or "memory://")


def test_database__postgres_without_psycopg(without: Any) -> None:
    without("psycopg")
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL: .*pip install"):
        env.database("postgres://u@h/n", synchronous="FULL")


def test_database__a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL: there is no folder .*make it"):
        env.database(f"sqlite:///{tmp_path}/nope/db.sqlite3", synchronous="FULL")
    made = env.database(f"sqlite:///{tmp_path}/db.sqlite3", synchronous="FULL")
    assert made["NAME"] == f"{tmp_path}/db.sqlite3"
    assert env.database("sqlite://:memory:", synchronous="FULL")["NAME"] == ":memory:"


def test_tree__that_is_not_there_is_a_warning(settings: Any, tmp_path: Path) -> None:
    assert check_tree(None) == []
    settings.WORKFORCE_TREE = str(tmp_path / "nope")
    (warning,) = check_tree(None)
    assert not warning.is_serious() and "WORKFORCE_TREE" in warning.msg
