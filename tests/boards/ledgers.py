"""A board whose rows are filed, taken and settled by the services, and a clock that tests move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from boards.hands import Hand
from boards.models import Board, BoardWorker, Task, TaskDep, TaskEvent, TaskLabel
from boards.selectors.ready import Wanted
from boards.services import settling
from boards.services.claiming import claim_next
from boards.services.filing import NewTask, file_task
from boards.transitions import Status
from workforce.models import Organization, Seat

ADA = Hand(principal="ada", passname="ada-desk")
OPEN = (Status.PENDING, Status.IN_PROGRESS, Status.BLOCKED, Status.PARKED)
ENDINGS = (Status.COMPLETED, Status.ERRORED, Status.CANCELLED)


def make_board(organization: Organization, board_id: str = "support.help.todo", **fields: Any) -> Board:
    mailbox_id, _, name = board_id.rpartition(".")
    return Board.objects.create(
        organization=organization, board_id=board_id, mailbox_id=mailbox_id, name=name, **fields
    )


def staff_board(board: Board, worker_id: str = "support.wren", *, kind: str = "agent", **fields: Any) -> Seat:
    """A hired worker that the board counts among its own."""
    BoardWorker.objects.create(board=board, worker_id=worker_id, key=worker_id.rpartition(".")[2])
    return Seat.objects.create(
        organization=board.organization, seat_id=worker_id, kind=kind, description="Works.", **fields
    )


@dataclass
class Moment:
    """What the clock says."""

    now: datetime

    def go(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@dataclass(frozen=True)
class Ledger:
    """A board with one caller."""

    board: Board

    def file(self, goal: str = "Do it.", **fields: Any) -> Task:
        return file_task(board=self.board, by=ADA, new=NewTask(goal=goal, **fields))

    def claim(self, worker: str = "wren", *, lease: int = 60, **wanted: Any) -> tuple[Task, str] | None:
        return claim_next(
            board=self.board, worker=worker, by=ADA, lease_seconds=lease, wanted=Wanted(**wanted)
        )

    def take(self, worker: str = "wren", **options: Any) -> tuple[Task, str]:
        """Claim a row that must be there."""
        claimed = self.claim(worker, **options)
        assert claimed is not None
        return claimed

    def do(self, verb: Callable[..., Any], task: Task, **arguments: Any) -> Any:
        return verb(board=self.board, task_id=task.task_id, by=ADA, **arguments)

    def complete(self, task: Task, output: Any = 1, **more: Any) -> Task:
        return self.do(settling.complete_task, task, output=output, **more)

    def fail(self, task: Task, error: str = "no", **more: Any) -> Task:
        return self.do(settling.fail_task, task, error=error, **more)

    def row_in(self, status: Status, **fields: Any) -> Task:
        """A row that stands so, the only one that is ready or held."""
        task = self.file(**fields)
        if status in (Status.IN_PROGRESS, Status.PARKED, Status.COMPLETED, Status.ERRORED):
            taken, ticket = self.take()
            assert taken.pk == task.pk
            if status is Status.PARKED:
                self.do(settling.park_task, task, question="Which?", ticket=ticket)
            if status is Status.COMPLETED:
                self.complete(task, ticket=ticket)
            if status is Status.ERRORED:
                self.fail(task, ticket=ticket)
        if status is Status.BLOCKED:
            self.do(settling.block_task, task, reason="later")
        if status is Status.CANCELLED:
            self.do(settling.cancel_task, task, reason="no")
        return self.see(task)

    def see(self, task: Task) -> Task:
        """The row as it stands."""
        return Task.objects.get(pk=task.pk)

    def kinds(self, task: Task) -> list[str]:
        return [event.kind for event in task.events.all()]

    def last(self, task: Task) -> TaskEvent:
        event = task.events.last()
        assert event is not None
        return event


def all_rows() -> list[Any]:
    return [list(model.objects.order_by("pk").values()) for model in (Task, TaskEvent, TaskDep, TaskLabel)]


@contextmanager
def unwritten() -> Iterator[None]:
    """The block leaves every row, event, dep and label as it was."""
    before = all_rows()
    yield
    assert all_rows() == before


def replay(task: Task) -> dict[str, Any]:
    """What a row's history says that it is."""
    row: dict[str, Any] = {
        "status": "", "assignee": "", "priority": None, "labels": [], "metadata": {}, "attempts": 0,
        "maxAttempts": None, "abandonments": 0, "error": "", "feedback": "", "heldBy": "", "author": "",
        "retryOf": "", "revision": 0,
    }  # fmt: skip
    for event in task.events.order_by("id"):
        assert event.from_status == row["status"], (event.kind, event.from_status, row["status"])
        assert event.revision == row["revision"] + 1
        row |= {**event.changes, "status": event.to_status, "revision": event.revision}
    return row


def facts(task: Task) -> dict[str, Any]:
    """The same of the row itself."""
    return {
        "status": task.status, "assignee": task.assignee, "priority": task.priority, "labels": task.labels,
        "metadata": task.metadata, "attempts": task.attempts, "maxAttempts": task.max_attempts,
        "abandonments": task.abandonments, "error": task.error, "feedback": task.feedback,
        "heldBy": task.claimed_by, "author": task.author, "retryOf": task.retry_of, "revision": task.revision,
    }  # fmt: skip
