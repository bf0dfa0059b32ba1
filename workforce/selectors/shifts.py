"""Who works now, who owes something, and who is off. See docs/admin.md, "The roster"."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Count, Min, Q, QuerySet

from workforce.models import Request, Seat, Session

#: By a name, the condition on seats of one sort of what can be owed beside requests that wait.
_OWING: dict[str, Callable[[], Q]] = {}


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


def register_owing(name: str, condition: Callable[[], Q]) -> None:
    """Let a seat that fits the condition be on call. Called from ``AppConfig.ready()``."""
    _OWING[name] = condition


def _owing() -> Q:
    """Seats that have something to do which is not running, whether they can do it or not."""
    waiting = Q(pk__in=_seats_with(Request.Status.PENDING))
    return reduce(or_, (condition() for condition in _OWING.values()), waiting)


def seats_standing(seats: QuerySet[Seat], shift: Shift) -> QuerySet[Seat]:
    """Those of the seats that stand so. Costs by the work that is not done yet, not by the conversations."""
    running = Q(pk__in=_seats_with(Request.Status.IN_PROGRESS))
    called = Q(retired_at=None) & _owing()
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
    owing = set(Seat.objects.filter(_owing(), pk__in=pks).order_by().values_list("pk", flat=True))
    return {
        seat.pk: Standing(
            shift=_shift(seat, work[seat.pk], owes=seat.pk in owing),
            running=work[seat.pk][Request.Status.IN_PROGRESS],
            waiting=work[seat.pk][Request.Status.PENDING],
            conversations=conversations.get(seat.pk, 0),
            run=runs.get(seat.pk),
        )
        for seat in seats
    }


def _shift(seat: Seat, work: Counter[str], *, owes: bool) -> Shift:
    if work[Request.Status.IN_PROGRESS]:
        return Shift.ON_SHIFT
    return Shift.ON_CALL if seat.retired_at is None and owes else Shift.OFF_SHIFT


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
