"""What the page of one mailbox shows: who is in it, what was said, what was refused, who is at work."""

from __future__ import annotations

from typing import Any

from django.db.models import Q
from django.http import HttpRequest

from boards.models import Board
from mailboxes.admin.places import Place
from mailboxes.state import is_mailbox_state
from workforce.admin.bounded import failed_runs
from workforce.admin.conversations import conversation_rows, run_rows
from workforce.admin.paging import seq_page
from workforce.admin.shown import ago, exact, page_of
from workforce.kinds import worker_kinds
from workforce.models import InventoryMailbox, Item, Seat, Session

#: How many failed runs the page lists.
REFUSALS = 10


def conversation_context(request: HttpRequest, box: InventoryMailbox, place: Place) -> dict[str, Any]:
    """The context of the mailbox's page, in a constant number of queries."""
    boards = Board.objects.filter(organization_id=box.organization_id, mailbox_id=box.mailbox_id)
    context: dict[str, Any] = {
        "place": place,
        "opened": exact(box.opened_at),
        "boards": [{"board": board, "url": page_of(board)} for board in boards],
        "members": [],
        "charter": "",
    }
    session = place.session
    if session is None:
        return context
    if is_mailbox_state(session.state):
        context["members"] = _members(session, place)
        context["charter"] = session.state["charter"]
    page = seq_page(
        request, Item.objects.filter(session=session).defer("data"), column="line_seq", last=session.line_seq
    )
    return context | {
        "session_url": page_of(session),
        "page": page,
        "lines": [_line(item) for item in page.rows],
        "refusals": run_rows(failed_runs(session), count=REFUSALS),
        "conversations": conversation_rows(session.children.all()),
    }


def _line(item: Item) -> dict[str, Any]:
    return {
        "item": item,
        "who": item.author or item.principal,
        # An author is what a caller said; a seat's line has its author from the service.
        "claimed": bool(item.author) and not item.seat_authored,
        "exact": exact(item.at),
        "ago": ago(item.at),
    }


def _members(session: Session, place: Place) -> list[dict[str, Any]]:
    """The members in their order, with the seat that hears for each as waking would find it."""
    members: list[str] = session.state["members"]
    mine_or_standard = Q(owner=None) | Q(owner_id=session.owner_id)
    seats: dict[str, Seat] = {}
    for seat in Seat.objects.filter(
        mine_or_standard, organization_id=session.organization_id, seat_id__in=members
    ).defer("instructions", "team_instructions"):
        present = seats.get(seat.seat_id)
        if present is None or seat.owner_id is not None:
            seats[seat.seat_id] = seat
    hearing = {name for name, kind in worker_kinds().items() if kind.hears_posts}
    return [_member(name, seats.get(name), hearing, place) for name in members]


def _member(name: str, seat: Seat | None, hearing: set[str], place: Place) -> dict[str, Any]:
    if seat is None:
        note = "no seat: nobody is told"
    elif seat.retired_at is not None:
        note = "retired: nobody is told"
    elif seat.kind not in hearing:
        note = f"of the kind '{seat.kind}', which hears no posts"
    else:
        note = ""
    return {
        "name": name,
        "url": page_of(seat) if seat else "",
        "note": note,
        "is_fallback": name == place.fallback,
    }
