"""What a session shows after a number, for all who follow it. See docs/server.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workforce.models import Item, Session
from workforce.selectors.versions import versions_of


def read_session_feed(
    session_id: int,
    after: int,
    *,
    at_once: int,
    shape: Callable[[Item], dict[str, Any]],
    runs: Callable[[Session], Any],
) -> dict[str, Any] | None:
    """The session's items after the number, each with its ``seq``, and who works; None when it is gone.

    Carries the version to wait on in ``topics`` (see ``workforce.waits.Feed``).
    """
    topic = f"session:{session_id}"
    # The version is read before the items: what comes between is seen now and once more, never missed.
    version = versions_of([topic])[topic]
    session = Session.objects.select_related("seat").filter(pk=session_id).first()
    if session is None:
        return None
    items = list(session.items.filter(seq__gt=after).order_by("seq")[: at_once + 1])
    return {
        "items": [shape(item) for item in items[:at_once]],
        "more": len(items) > at_once,
        "after": after,
        "runs": runs(session),
        "topics": {topic: version},
    }
