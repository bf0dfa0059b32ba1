"""Keeping held rows and their runs together: no row lapses while its run is to come, none stays held after it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import structlog

from boards.drains.leases import dispatch_key, lease_seconds, ticket_of
from boards.drains.stations import has_taker
from boards.drains.words import fit_error
from boards.errors import IllegalStatusTransition, LostClaim
from boards.hands import NOBODY
from boards.models import Board, Task
from boards.services.changing import Change, write_change
from boards.services.holding import NO_CLAIM
from boards.services.settling import fail_task, release_task
from boards.transitions import Status
from workforce import clock
from workforce.dispatch.claim import ABANDONED
from workforce.models import Request
from workforce.sql.writing import batches
from workforce.turns.errors import WorkerRetired

BATCH = 500
#: A run that was given up because its workers died: the row lapses, and whoever takes it back counts that.
_LAPSES = ABANDONED["code"]
#: A run that its worker was not there for any more: the attempt is given back, for another worker.
_RELEASES = WorkerRetired.code
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Run:
    """How the request of a claim stands."""

    status: str
    error: dict[str, Any] | None


def mind_held(boards: Collection[Board] | None = None) -> int:
    """Look after the rows that workers drain, on these boards or on all; returns how many were settled.

    A row whose run is still to come or under way keeps its lease, however long the queue. One whose run ended
    without settling it (aborted, refused, broken) is failed with what the run says.
    """
    rows = Task.objects.filter(status=Status.IN_PROGRESS, run__isnull=False)
    if boards is not None:
        rows = rows.filter(board__in=[board.pk for board in boards])
    held = rows.select_related("board").only(
        *(
            "task_id",
            "board__board_id",
            "board__live",
            "board__organization",
            "board__session",
            "assignee",
            "claim_number",
        ),
        # what is written only as it was read
        *("revision", "updated_at", "status", "claimed_by", "lease_seconds", "lease_until"),
    )
    return sum(_mind(list(some)) for some in batches(held.order_by("pk"), BATCH))


def _mind(tasks: list[Task]) -> int:
    runs = _runs(dispatch_key(task) for task in tasks)
    settled = 0
    for task in tasks:
        run = runs.get(dispatch_key(task))
        if run is not None and run.status in Request.UNFINISHED:
            _keep(task)
            continue
        try:
            settled += _give_back(task) if run is None else _settle(task, run)
        except (LostClaim, IllegalStatusTransition):
            pass  # it was settled since it was read
        except Exception as error:  # whatever is wrong with this row, the others are due
            log.warning("row_not_settled", task=task.task_id, reason=f"{type(error).__name__}: {error}"[:200])
    return settled


def _runs(keys: Iterable[str]) -> dict[str, _Run]:
    rows = Request.objects.filter(dispatch_key__in=list(keys))
    columns = rows.values_list("dispatch_key", "status", "error")
    return {str(key): _Run(status, error) for key, status, error in columns}


def _keep(task: Task) -> None:
    """Renew a lease of which less than half is left."""
    moment, lease = clock.now(), timedelta(seconds=lease_seconds())
    if task.lease_until is None or task.lease_until > moment + lease / 2:
        return
    same_claim = Task.objects.filter(
        pk=task.pk, status=Status.IN_PROGRESS, claim_number=task.claim_number, lease_until__lt=moment + lease
    )
    same_claim.update(lease_until=moment + lease)


def _settle(task: Task, run: _Run) -> bool:
    """Settle the row by how its run ended; False while it is left to its holder, or to lapse."""
    code = (run.error or {}).get("code", "")
    row: dict[str, Any] = {
        "board": task.board,
        "task_id": task.task_id,
        "by": NOBODY,
        "ticket": ticket_of(task),
    }
    if run.status == Request.Status.COMPLETED or code == _LAPSES:
        return _give_back(task)
    if run.status == Request.Status.ABORTED:
        fail_task(**row, error="its run was aborted")
    elif code == _RELEASES:
        release_task(**row)
    else:
        fail_task(**row, error=fit_error(f"{code}: {(run.error or {}).get('message', '')}"))
    return True


def _give_back(task: Task) -> bool:
    """Put a lapsed row back for whoever is assigned to it later, when none of the board's workers would take it.

    A worker that takes a lapsed row counts that it was abandoned; so what is some worker's is left for its claim.
    """
    moment = clock.now()
    if task.lease_until is None or task.lease_until > moment or has_taker(task):
        return False
    change = Change(kind="reclaimed", columns={"status": Status.PENDING, **NO_CLAIM})
    return write_change(board=task.board, task=task, change=change, by=NOBODY, lease_until__lte=moment)
