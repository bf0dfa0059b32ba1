"""Pressing an act: who does it, which revision was looked at, and its refusal in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme

from boards.admin.acts import Act, Pressed
from boards.hands import Hand
from boards.models import Task
from workforce.admin.shown import page_of, storable
from workforce.errors import DomainError, InvalidInput, Stale


def hand_of(request: HttpRequest) -> Hand:
    """Who changes a row, for its history."""
    return Hand(principal=request.user.get_username())


def revision_of(text: str) -> int:
    """The revision that was looked at. Raises InvalidInput without one: nothing is written unseen."""
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise InvalidInput.at("revision", "is missing; open the row again")
    return int(text)


def press(request: HttpRequest, act: Act, task: Task, revision: int, value: Any) -> str:
    """Do it, and return the words of its success. Raises the service's refusal, Stale for another revision."""
    return act.run(Pressed(task=task, by=hand_of(request), revision=revision, value=value))


def value_of(act: Act, data: Mapping[str, Any]) -> Any:
    """What the act's field was filled with. Raises InvalidInput."""
    return act.field.read(data) if act.field else None


def refusal_words(refusal: DomainError) -> str:
    """A refusal as people read it, with its code."""
    words = refusal.words
    if isinstance(refusal, Stale):
        words = f"It changed meanwhile, and nothing was written: {words}"
    return storable(f"{words} ({refusal.code})")


def back_of(data: Mapping[str, Any], task: Task) -> str:
    """The page to show again afterwards: one of this site that was named, else the row's."""
    url = str(data.get("back", ""))
    is_ours = url.startswith("/") and url_has_allowed_host_and_scheme(url, allowed_hosts=None)
    return url if is_ours else page_of(task)
