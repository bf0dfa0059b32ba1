"""What stands where on boards. Open rows are counted; of those that ended only what the last tally has not.

So the figures cost what is open and what ended lately, however many rows a board has. See docs/boards.md, "Costs".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Count, Exists, Min, OuterRef, Q, QuerySet

from boards.models import Board, BoardWorker, Tally, Task
from boards.selectors.tasks import stuck_tasks
from boards.selectors.workers import is_nobodys
from boards.transitions import OPEN, Status
from workforce import clock
from workforce.kinds import worker_kinds
from workforce.models import Seat

#: In the order of the columns of a tally.
_ENDED = (Status.COMPLETED, Status.ERRORED, Status.CANCELLED)


def board_figures(boards: Iterable[Board]) -> dict[int, dict[str, Any]]:
    """For each board, in five queries.

    ``counts`` by status; ``stuck`` rows; ``orphaned`` rows, which are open and assigned to none of the board's
    workers; since when the oldest ready and held row are there; whether the board is ``attended``.
    """
    keys = [board.pk for board in boards]
    figures: dict[int, dict[str, Any]] = {
        key: {
            "counts": dict.fromkeys((str(status) for status in Status), 0),
            "stuck": 0,
            "orphaned": 0,
            "oldest_ready": None,
            "oldest_held": None,
            "attended": False,
        }
        for key in keys
    }
    _add_workers_and_open(figures, keys)
    _add_ended(figures, keys)
    stuck = stuck_tasks(Task.objects.filter(board__in=keys))
    for key, number in stuck.values_list("board_id").annotate(Count("pk")).order_by():
        figures[key]["stuck"] = number
    return figures


def _add_workers_and_open(figures: dict[int, dict[str, Any]], keys: Sequence[int]) -> None:
    known: dict[int, set[str]] = {key: set() for key in keys}
    for key, worker, works in _workers(keys):
        known[key].add(worker)
        figures[key]["attended"] |= works
    rows: Any = Task.objects.filter(board__in=keys, status__in=OPEN).order_by()
    groups = rows.values_list("board_id", "status", "assignee").annotate(
        Count("pk"),
        ready=Min("created_at", filter=Q(status=Status.PENDING, unmet=0)),
        held=Min("updated_at", filter=Q(status=Status.IN_PROGRESS)),
    )
    for key, status, assignee, number, ready, held in groups:
        found = figures[key]
        found["counts"][status] += number
        if is_nobodys(assignee, known[key]):
            found["orphaned"] += number
        found["oldest_ready"] = _older(found["oldest_ready"], ready)
        found["oldest_held"] = _older(found["oldest_held"], held)


def _workers(keys: Sequence[int]) -> Iterable[tuple[int, str, bool]]:
    """The declared workers of the boards: whose, under which key, and whether it is hired and its kind takes tasks."""
    takers = [name for name, kind in worker_kinds().items() if kind.takes_tasks or kind.claims_tasks]
    hired = Seat.objects.filter(
        organization=OuterRef("board__organization"),
        seat_id=OuterRef("worker_id"),
        owner=None,
        retired_at=None,
        kind__in=takers,
    )
    return BoardWorker.objects.filter(board__in=keys).values_list("board_id", "key", Exists(hired))


def _older(known: int | None, moment: datetime | None) -> int | None:
    if moment is None:
        return known
    return clock.to_ms(moment) if known is None else min(known, clock.to_ms(moment))


def _add_ended(figures: dict[int, dict[str, Any]], keys: Sequence[int]) -> None:
    """The tally, and what has ended since the moment that it says itself: right also while another is made."""
    since = dict.fromkeys(keys, clock.EPOCH)
    for tally in Tally.objects.filter(board__in=keys):
        since[tally.board_id] = tally.until
        figures[tally.board_id]["counts"] |= {str(status): getattr(tally, status) for status in _ENDED}
    boards: dict[datetime, list[int]] = defaultdict(list)
    for key, until in since.items():
        boards[until].append(key)
    lately = [Q(board__in=some, completed_at__gte=until) for until, some in boards.items()]
    if lately:
        rows = Task.objects.filter(reduce(or_, lately), status__in=_ENDED)
        for key, status, number in rows.values_list("board_id", "status").annotate(Count("pk")).order_by():
            figures[key]["counts"][status] += number


def ended_between(board: Board, since: datetime, until: datetime) -> dict[str, int]:
    """How many rows of the board ended in this time, by ending."""
    rows: QuerySet[Task] = Task.objects.filter(
        board=board, status__in=_ENDED, completed_at__gte=since, completed_at__lt=until
    )
    numbers = dict(rows.values_list("status").annotate(Count("pk")).order_by())
    return {str(status): numbers.get(status, 0) for status in _ENDED}
