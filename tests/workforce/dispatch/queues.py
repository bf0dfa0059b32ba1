"""Requests as a dead, a living or no worker leaves them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from workforce import clock
from workforce.models import Request, Session


def make_request(session: Session, action: str = "later", **fields: Any) -> Request:
    """A pending serial request that a client made."""
    return Request.objects.create(session=session, action=action, source="http", **{"serial": True, **fields})


def running(session: Session, *, lapsed: bool, attempts: int = 1, **fields: Any) -> Request:
    """A request that a worker took; its lease has lapsed when the worker died."""
    until = clock.now() + timedelta(seconds=-1 if lapsed else 30)
    taken = {"status": "in_progress", "attempts": attempts, "claimed_by": "another", "lease_until": until}
    return make_request(session, started_at=clock.now() - timedelta(minutes=2), **{**taken, **fields})
