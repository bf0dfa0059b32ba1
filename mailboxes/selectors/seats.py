"""The seats that a mailbox's members are."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from workforce.kinds import worker_kinds
from workforce.models import Seat, Session
from workforce.sql.reading import Statement
from workforce.sql.writing import marks

_SEATS = Statement(
    [(Seat, "seat", ("id", "owner_id", "seat_id", "kind", "description"))],
    "FROM workforce_seat seat WHERE seat.organization_id = %s AND seat.retired_at IS NULL "
    "AND (seat.owner_id IS NULL OR seat.owner_id = %s)",
)


def hearing_seats(session: Session, members: Collection[str]) -> dict[str, Seat]:
    """The seat of each of these members that hears posts: the owner's own first, then the organization's."""
    hearing = [name for name, kind in worker_kinds().items() if kind.hears_posts]
    if not (hearing and members):
        return {}
    named = f" AND seat.seat_id IN ({marks(members)}) AND seat.kind IN ({marks(hearing)})"
    rows = _SEATS.read([session.organization_id, session.owner_id, *members, *hearing], more=named)
    found: dict[str, Seat] = {}
    for (seat,) in rows:
        if seat.seat_id not in found or seat.owner_id is not None:
            found[seat.seat_id] = seat
    return found


def routing_choices(seats: Mapping[str, Seat]) -> dict[str, str]:
    """Those of these seats that a post can be judged for, with their descriptions: the organization's alone.

    The description of a user's own hire is for messages; no post is routed by it.
    """
    return {
        member: seat.description
        for member, seat in seats.items()
        if seat.owner_id is None and seat.description.strip()
    }
