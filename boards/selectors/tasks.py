"""Reading boards and rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from django.db.models import Exists, OuterRef, Q, QuerySet

from boards.errors import NoBoard, TaskNotFound
from boards.models import Board, Task, TaskDep
from boards.transitions import Status
from workforce.models import Organization
from workforce.sql.writing import batches

#: No database takes much more in one list.
BATCH = 5000


def access_board(*, organization: Organization, board_id: str) -> Board:
    """The organization's board. Raises NoBoard, also for one of another organization."""
    board = Board.objects.filter(organization=organization, board_id=board_id).first()
    if board is None:
        raise NoBoard(f"there is no board '{board_id[:200]}'")
    return board


def get_task(board: Board, task_id: str) -> Task:
    """The row of the board. Raises TaskNotFound."""
    task = Task.objects.filter(board=board, task_id=task_id).first()
    if task is None:
        raise TaskNotFound.of(board.board_id, task_id)
    return task


def find_retry(board: Board, task_id: str) -> Task | None:
    """The row that was filed for an ended one, if it was filed again."""
    rows = Task.objects.filter(~Q(retry_of=""), board=board, retry_of=task_id)
    return next(iter(rows[:1]), None)  # unordered: an order would lead past the index of this question


def deps_of(tasks: Iterable[Task]) -> dict[int, list[str]]:
    """The ids that each row waits for, in the order they were named; one query for thousands of rows."""
    found: dict[int, list[str]] = defaultdict(list)
    for keys in batches((task.pk for task in tasks), BATCH):
        rows = TaskDep.objects.filter(task__in=keys).order_by("task_id", "position")
        for task, dep in rows.values_list("task_id", "dep__task_id"):
            found[task].append(dep)
    return found


def stuck_tasks(rows: QuerySet[Task]) -> QuerySet[Task]:
    """The pending rows that wait for a row which ended without being completed."""
    failed = TaskDep.objects.filter(task=OuterRef("pk"), dep__status__in=[Status.ERRORED, Status.CANCELLED])
    return rows.filter(Exists(failed), status=Status.PENDING, unmet__gt=0)
