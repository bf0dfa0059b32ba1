"""The conversations below a session and how each stands."""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from workforce import clock
from workforce.models import Request, Session


def children_of(session: Session) -> QuerySet[Session]:
    """The child sessions with ``active`` and ``last_status``, in a constant number of queries."""
    requests = Request.objects.filter(session=OuterRef("pk"))
    return session.children.select_related("seat").annotate(
        active=Exists(requests.filter(Request.IS_UNFINISHED)),
        last_status=Subquery(requests.order_by("-id").values("status")[:1]),
    )


def working_children(session: Session) -> QuerySet[Session]:
    """The child sessions that have unfinished requests, newest first."""
    working = Request.objects.filter(Request.IS_UNFINISHED, session__parent=session).values("session")
    return children_of(session).filter(pk__in=working).order_by("-id")


def child_shape(child: Any) -> dict[str, Any]:
    """A child: ``status`` is ``active``, or the last ending, or absent when nothing ran."""
    shape: dict[str, Any] = {
        "id": child.address,
        "flowKind": child.kind,
        "seatId": child.seat.seat_id if child.seat else None,
        "topic": child.topic,
        "createdAt": clock.to_ms(child.created_at),
        "updatedAt": clock.to_ms(child.updated_at),
    }
    if child.active or child.last_status:
        shape["status"] = "active" if child.active else child.last_status
    return shape
