"""The agreement between a view and the server in front of it about calls that wait.

A view that has no last word yet names, in ``X-Workforce-Wait-For``, what to watch and the versions it saw.
The server (workforce_site/waiting.py) holds the call without a thread or a connection, and runs the same
view again when a version changed: so a key that was frozen meanwhile is refused by the ordinary check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, unquote

from workforce.callers import Caller

WAIT_FOR = "X-Workforce-Wait-For"
#: Set by the server when it runs a view again: what the first run left for it.
RESUME = "X-Workforce-Resume"
RESUME_META = "HTTP_X_WORKFORCE_RESUME"

#: Names the feed that a stream may be told from between two looks of its view: ``<name>:<session's key>``.
FEED = "X-Workforce-Feed"

#: What a session shows after a number: ``items`` (each with its ``seq``), ``more``, ``after``, ``runs``, and
#: ``topics`` with the versions that were read before; None when the session is gone.
Feed = Callable[[int, int], dict[str, Any] | None]
_FEEDS: dict[str, Feed] = {}


def register_feed(name: str, feed: Feed) -> None:
    """Let streams be told from the feed. Its view decides who may; the feed only reads, once for all of them."""
    _FEEDS[name] = feed


def read_feed(name: str, after: int) -> dict[str, Any] | None:
    """What the feed of the header shows after the number."""
    feed, _, key = name.partition(":")
    return _FEEDS[feed](int(key), after)


def watch_header(topics: Mapping[str, str], caller: Caller, *, resume: str = "") -> str:
    """The header's value: topics with the versions seen, the caller's key among them."""
    watched = dict(topics)
    if caller.key_id is not None:
        watched[f"key:{caller.key_id}"] = "ok"
    parts = [f"{topic}={quote(version)}" for topic, version in watched.items()]
    return " ".join([f"resume={quote(resume, safe='')}", *parts])


def read_watch_header(value: str) -> tuple[dict[str, str], str]:
    """Topics with their versions, and what to resume with."""
    pairs = [part.partition("=")[::2] for part in value.split()]
    found = {topic: unquote(version) for topic, version in pairs}
    resume = found.pop("resume", "")
    return found, resume
