"""Reading boards and rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.db.models import Count, Exists, F, Min, OuterRef, QuerySet

from boards.errors import NoBoard, TaskNotFound
from boards.models import Board, BoardWorker, Task, TaskDep
from boards.transitions import Status
from workforce import clock
from workforce.models import Organization
from workforce.services.rows import batches

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
    return rows.filter(Exists(failed), status=Status.PENDING)


def board_figures(boards: Iterable[Board]) -> dict[int, dict[str, Any]]:
    """For each board: counts by status, stuck rows, the age of the oldest ready and held row, attended or not."""
    keys = [board.pk for board in boards]
    figures: dict[int, dict[str, Any]] = {
        key: {
            "counts": dict.fromkeys((str(status) for status in Status), 0),
            "stuck": 0,
            "oldest_ready": None,
            "oldest_held": None,
            "attended": False,
        }
        for key in keys
    }
    rows = Task.objects.filter(board__in=keys)
    for key, status, number in rows.values_list("board_id", "status").annotate(Count("pk")).order_by():
        figures[key]["counts"][status] = number
    for key, number in stuck_tasks(rows).values_list("board_id").annotate(Count("pk")).order_by():
        figures[key]["stuck"] = number
    _add_oldest(figures, rows)
    for key in BoardWorker.objects.filter(board__in=keys).values_list("board_id", flat=True).distinct():
        figures[key]["attended"] = True
    return figures


def _add_oldest(figures: dict[int, dict[str, Any]], rows: QuerySet[Task]) -> None:
    oldest = {
        "oldest_ready": rows.filter(status=Status.PENDING, unmet=0).annotate(since=F("created_at")),
        "oldest_held": rows.filter(status=Status.IN_PROGRESS).annotate(since=F("updated_at")),
    }
    for name, some in oldest.items():
        for key, since in some.values_list("board_id").annotate(oldest=Min("since")).order_by():
            figures[key][name] = clock.to_ms(since)
