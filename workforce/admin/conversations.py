"""What the pages of sessions, seats and mailboxes share: conversations and how their runs stand."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from workforce.admin.shown import STATUS_LABELS, ago, page_of, session_name, shortened, storable
from workforce.models import InventoryMailbox, Request, Session

#: How many conversations or runs a page lists.
SHOWN = 20


def with_runs(sessions: QuerySet[Session]) -> QuerySet[Session]:
    """The sessions with ``active`` and ``last_status``, in a constant number of queries."""
    runs = Request.objects.filter(session=OuterRef("pk"))
    return sessions.select_related("seat").annotate(
        active=Exists(runs.filter(Request.IS_UNFINISHED)),
        last_status=Subquery(runs.order_by("-id").values("status")[:1]),
    )


def conversation_rows(sessions: QuerySet[Session]) -> list[dict[str, Any]]:
    """The newest conversations, as a page lists them."""
    newest = with_runs(sessions).order_by("-updated_at", "-pk")[:SHOWN]
    return [_conversation_row(session) for session in newest]


def _conversation_row(session: Any) -> dict[str, Any]:
    status = "active" if session.active else session.last_status or ""
    return {
        "session": session,
        "url": page_of(session),
        "seat": session.seat.seat_id if session.seat else "",
        "status": status.replace("_", " "),
        "label": STATUS_LABELS.get(status, ""),
        "updated": ago(session.updated_at),
    }


def run_rows(requests: QuerySet[Request], *, count: int = SHOWN) -> list[dict[str, Any]]:
    """Runs as a page lists them, in the order given."""
    return [run_row(request) for request in requests.select_related("session")[:count]]


def run_row(request: Request) -> dict[str, Any]:
    """A run: what, where, how it stands, and in which words it was refused."""
    code, words = error_of(request)
    return {
        "request": request,
        "url": page_of(request),
        "status": request.get_status_display(),
        "label": STATUS_LABELS[request.status],
        "place": session_name(request.session),
        "age": ago(request.created_at),
        "code": code,
        "words": shortened(words, 300),
    }


def error_of(request: Request) -> tuple[str, str]:
    """The code and the words of a failed run; empty when there are none."""
    error = request.error
    if not isinstance(error, dict):
        return "", ""
    return storable(str(error.get("code", ""))), storable(str(error.get("message", "")))


def mailbox_pages(sessions: Iterable[Session]) -> dict[int, str]:
    """The pages of those sessions that are mailboxes, by the session's key. One query."""
    places = {(session.organization_id, session.address): session.pk for session in sessions}
    boxes = InventoryMailbox.objects.filter(
        organization_id__in={organization for organization, _ in places},
        mailbox_id__in={address for _, address in places},
    )
    found = ((places.get((box.organization_id, box.mailbox_id)), page_of(box)) for box in boxes)
    return {pk: url for pk, url in found if pk is not None}
