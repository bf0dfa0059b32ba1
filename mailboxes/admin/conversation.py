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
from workforce.admin.live import live_context
from workforce.admin.paging import PAGE, SeqPage, seq_page
from workforce.admin.shown import exact, page_of
from workforce.admin.talk import talk_rows
from workforce.kinds import worker_kinds
from workforce.models import InventoryMailbox, Item, Seat, Session

#: How many failed runs the page lists.
REFUSALS = 10
#: The most items on it: each line has at most one route, and boards change now and then.
SHOWN = 4 * PAGE


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
        request, Item.objects.filter(session=session).only("seq"), column="line_seq", last=session.line_seq
    )
    return (
        context
        | live_context(session, is_newest=page.is_newest, authors=[row["name"] for row in context["members"]])
        | {
            "session_url": page_of(session),
            "page": page,
            "talk": talk_rows(_shown(session, page)),
            "refusals": run_rows(failed_runs(session), count=REFUSALS),
            "conversations": conversation_rows(session.children.all()),
        }
    )


def _shown(session: Session, page: SeqPage) -> list[Item]:
    """The lines of the page, and what stands between and behind them: routes and changes of boards."""
    items = Item.objects.filter(session=session).order_by("seq")
    if page.rows:
        items = items.filter(seq__gte=page.rows[0].seq)
    if not page.is_newest:
        items = items.filter(seq__lte=page.rows[-1].seq)
    return list(items[:SHOWN])


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
