"""Who works now, who will when something comes, and who is off. See docs/admin.md, "The roster"."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast

from workforce.models import InventoryMembership, Request, Seat, Session

#: How a seat that drains boards begins to say so, in the text that its settings are kept as.
_DRAINS = '"drains":["'


class Shift(StrEnum):
    """How a seat stands."""

    ON_SHIFT = "on shift"
    ON_CALL = "on call"
    OFF_SHIFT = "off shift"


@dataclass(frozen=True, slots=True)
class Standing:
    """How a seat stands, with what it has to do; ``run`` is the key of the oldest of its running requests."""

    shift: Shift
    running: int
    waiting: int
    conversations: int
    run: int | None


def seats_standing(seats: QuerySet[Seat], shift: Shift) -> QuerySet[Seat]:
    """Those of the seats that stand so. Costs by the work that is not done yet, not by the conversations."""
    running = Q(pk__in=_seats_with(Request.Status.IN_PROGRESS))
    waiting = Q(pk__in=_seats_with(Request.Status.PENDING))
    places = InventoryMembership.objects.filter(
        organization=OuterRef("organization"), seat_id=OuterRef("seat_id")
    )
    seats = seats.annotate(settings_text=Cast("settings", TextField()))
    # A board's workers are the tree's: a user's own is given no rows.
    declared = Q(Exists(places)) | Q(owner=None, settings_text__contains=_DRAINS)
    called = Q(retired_at=None) & (waiting | declared)
    match shift:
        case Shift.ON_SHIFT:
            return seats.filter(running)
        case Shift.ON_CALL:
            return seats.filter(~running, called)
        case Shift.OFF_SHIFT:
            return seats.filter(~running).exclude(called)


def _seats_with(status: str) -> QuerySet[Request, Any]:
    rows = Request.objects.filter(Request.IS_UNFINISHED, status=status, session__seat__isnull=False)
    return rows.order_by().values("session__seat")


def standings_of(seats: Sequence[Seat]) -> dict[int, Standing]:
    """How each of the seats stands, by its key, in three queries."""
    pks = [seat.pk for seat in seats]
    work, runs = _work_of(pks)
    rows = Session.objects.filter(seat__in=pks).order_by().values("seat").annotate(count=Count("pk"))
    conversations = {row["seat"]: row["count"] for row in rows}
    members = _members_among(seats)
    return {
        seat.pk: Standing(
            shift=_shift(seat, work[seat.pk], (seat.organization_id, seat.seat_id) in members),
            running=work[seat.pk][Request.Status.IN_PROGRESS],
            waiting=work[seat.pk][Request.Status.PENDING],
            conversations=conversations.get(seat.pk, 0),
            run=runs.get(seat.pk),
        )
        for seat in seats
    }


def _shift(seat: Seat, work: Counter[str], is_member: bool) -> Shift:
    if work[Request.Status.IN_PROGRESS]:
        return Shift.ON_SHIFT
    drains = seat.owner_id is None and seat.settings.get("drains")
    called = work[Request.Status.PENDING] or is_member or drains
    return Shift.ON_CALL if seat.retired_at is None and called else Shift.OFF_SHIFT


def _work_of(pks: list[int]) -> tuple[dict[int, Counter[str]], dict[int, int]]:
    """How many requests of each seat stand how, and the oldest that runs."""
    work: dict[int, Counter[str]] = defaultdict(Counter)
    runs: dict[int, int] = {}
    rows = Request.objects.filter(Request.IS_UNFINISHED, session__seat__in=pks).order_by()
    for row in rows.values("session__seat", "status").annotate(count=Count("pk"), oldest=Min("pk")):
        work[row["session__seat"]][row["status"]] = row["count"]
        if row["status"] == Request.Status.IN_PROGRESS:
            runs[row["session__seat"]] = row["oldest"]
    return work, runs


def _members_among(seats: Sequence[Seat]) -> set[tuple[int, str]]:
    places = InventoryMembership.objects.filter(
        organization__in={seat.organization_id for seat in seats},
        seat_id__in={seat.seat_id for seat in seats},
    )
    return set(places.order_by().values_list("organization_id", "seat_id").distinct())
