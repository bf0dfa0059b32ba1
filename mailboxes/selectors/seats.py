"""The seats that a mailbox's members are."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from django.db.models import Q

from workforce.kinds import worker_kinds
from workforce.models import Seat, Session


def hearing_seats(session: Session, members: Collection[str]) -> dict[str, Seat]:
    """The seat of each of these members that hears posts: the owner's own first, then the organization's."""
    hearing = [name for name, kind in worker_kinds().items() if kind.hears_posts]
    seats = Seat.objects.filter(
        Q(owner=None) | Q(owner_id=session.owner_id),
        organization_id=session.organization_id,
        seat_id__in=members,
        kind__in=hearing,
        retired_at=None,
    ).only("seat_id", "kind", "owner_id", "description")
    found: dict[str, Seat] = {}
    for seat in seats:
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
