"""Taking rows: one atomic step decides who. See docs/boards.md, "Claims and tickets"."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from boards.errors import LostClaim
from boards.hands import NOBODY, Hand
from boards.models import Board, Task
from boards.selectors.first import lock_first_pending
from boards.selectors.ready import ORDER, Wanted, lapsed_tasks, pending_tasks
from boards.services.changing import Change, change_task, write_change
from boards.services.holding import NO_CLAIM, check_holds
from boards.services.taking import CLAIMED, can_take_at_once, take_first_pending
from boards.tickets import Ticket, write_ticket
from boards.transitions import Status, is_given_up
from workforce import clock
from workforce.errors import InvalidInput

DEFAULT_LEASE = 120
SHORTEST_LEASE, LONGEST_LEASE = 1, 24 * 3600


def claim_next(
    *, board: Board, worker: str, by: Hand, lease_seconds: int = DEFAULT_LEASE, wanted: Wanted | None = None
) -> tuple[Task, str] | None:
    """Take the first ready row, by priority, age and id; None when there is none.

    Returns the row and the ticket that proves the claim. N callers on K rows get min(N, K) of them, no row
    twice, and nobody waits for another. A lapsed row that was abandoned too often is settled on the way.
    Raises InvalidInput for a lease outside its bounds.
    """
    check_lease(lease_seconds)
    wanted = wanted or Wanted()
    while True:
        moment = clock.now()
        if can_take_at_once():
            task = take_first_pending(
                board=board, worker=worker, by=by, lease_seconds=lease_seconds, wanted=wanted, moment=moment
            )
            if task is not None:
                return task, _ticket(board, task)
        with transaction.atomic():
            task = _lock_first(board, wanted, moment)
            if task is None:
                return None
            if task.status == Status.PENDING or not is_given_up(abandonments=task.abandonments):
                write_change(
                    board=board, task=task, change=_claim(task, worker, lease_seconds, moment), by=by
                )
                return task, _ticket(board, task)
            give_up(board=board, task=task, moment=moment)


def _ticket(board: Board, task: Task) -> str:
    return write_ticket(Ticket(board=board.pk, task=task.pk, claim_number=task.claim_number))


def check_lease(seconds: int) -> None:
    """Raise InvalidInput when a lease is outside its bounds; it is never clamped."""
    if not SHORTEST_LEASE <= seconds <= LONGEST_LEASE:
        raise InvalidInput.at(
            "leaseSeconds", f"must be from {SHORTEST_LEASE} to {LONGEST_LEASE} seconds, not {seconds}"
        )


def _lock_first(board: Board, wanted: Wanted, moment: datetime) -> Task | None:
    """The first ready row, locked; one that somebody else is taking is passed over."""
    task = None if can_take_at_once() else lock_first_pending(board, wanted, moment)
    if task is not None:
        return task
    pending, lapsed = pending_tasks(board, wanted), lapsed_tasks(board, wanted, moment)
    # Nothing is pending, or something has lapsed: whichever is first in the order goes first.
    first = [rows.order_by(*ORDER).first() for rows in (lapsed, pending)]
    lapsed_first = first[1] is None or (first[0] is not None and _place(first[0]) < _place(first[1]))
    for rows in (lapsed, pending) if lapsed_first else (pending, lapsed):
        task = _locked(rows)
        if task is not None:
            return task
    return None


def _locked(rows: QuerySet[Task]) -> Task | None:
    locking = rows.order_by(*ORDER).select_for_update(skip_locked=True, no_key=True, of=("self",))
    return next(iter(locking[:1]), None)


def _place(task: Task) -> tuple[float, datetime, int]:
    return -task.rank, task.created_at, task.pk


def _claim(task: Task, worker: str, lease_seconds: int, moment: datetime) -> Change:
    recovered = task.status == Status.IN_PROGRESS
    columns: dict[str, Any] = {
        "status": Status.IN_PROGRESS,
        "attempts": task.attempts + 1,
        "abandonments": task.abandonments + recovered,
        "claim_number": task.claim_number + 1,
        "claimed_by": worker,
        "lease_seconds": lease_seconds,
        "lease_until": moment + timedelta(seconds=lease_seconds),
        "started_at": task.started_at or moment,
        "run": None,
    }
    return Change(kind=CLAIMED, columns=columns)


def give_up(*, board: Board, task: Task, moment: datetime) -> bool:
    """Settle a lapsed row that was abandoned too often; False when another write or a renewal came first."""
    times = task.abandonments + 1
    error = f"abandoned: its workers stopped renewing {times} times, the last was '{task.claimed_by}'"
    columns = {"status": Status.ERRORED, "error": error, "completed_at": moment, **NO_CLAIM}
    change = Change(kind="errored", columns=columns)
    return write_change(board=board, task=task, change=change, by=NOBODY, lease_until__lte=moment)


def renew_lease(
    *,
    board: Board,
    task_id: str,
    by: Hand,
    ticket: str,
    lease_seconds: int | None = None,
    if_revision: int | None = None,
) -> Task:
    """Move the lease of a held row, by its own length unless another is given. Not an event, nor a revision.

    Raises TaskNotFound, LostClaim, InvalidInput, Stale.
    """
    if lease_seconds is not None:
        check_lease(lease_seconds)
    with transaction.atomic():
        task = change_task(
            board=board,
            task_id=task_id,
            by=by,
            if_revision=if_revision,
            decide=lambda row: check_holds(row, ticket),
        )
        seconds = task.lease_seconds if lease_seconds is None else lease_seconds
        until = clock.now() + timedelta(seconds=seconds)
        held = Task.objects.filter(pk=task.pk, status=Status.IN_PROGRESS, claim_number=task.claim_number)
        if not held.update(lease_seconds=seconds, lease_until=until):
            raise LostClaim(f"the ticket does not hold '{task_id}' any more; claim again")
        task.lease_seconds, task.lease_until = seconds, until
    return task
