"""Which rows can be taken now."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet

from boards.models import Board, Task, TaskLabel
from boards.transitions import Status


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows a claim is for: of one worker key, with all of these labels; any when empty.

    ``or_nobody`` adds the rows that are assigned to nobody to those of the key.
    """

    assignee: str = ""
    labels: tuple[str, ...] = ()
    or_nobody: bool = False


#: The order of claims.
ORDER = ("-rank", "created_at", "id")


def pending_tasks(board: Board, wanted: Wanted) -> QuerySet[Task]:
    """The rows that wait to be taken: pending, with every dep completed. Unordered."""
    return _narrowed(Task.objects.filter(board=board, status=Status.PENDING, unmet=0), wanted)


def lapsed_tasks(board: Board, wanted: Wanted, moment: datetime) -> QuerySet[Task]:
    """The rows whose holder stopped renewing, which can be taken back. Unordered."""
    rows = Task.objects.filter(board=board, status=Status.IN_PROGRESS, lease_until__lte=moment)
    return _narrowed(rows, wanted)


def is_ready(task: Task, moment: datetime) -> bool:
    """Whether the row, as it was read, could be taken."""
    if task.status == Status.PENDING:
        return task.unmet == 0
    return task.status == Status.IN_PROGRESS and task.lease_until is not None and task.lease_until <= moment


# Two questions and never one with "or": each has an index of its own, and those that are held, however many,
# are in neither's way.


def _narrowed(rows: QuerySet[Task], wanted: Wanted) -> QuerySet[Task]:
    if wanted.assignee and wanted.or_nobody:
        rows = rows.filter(assignee__in=[wanted.assignee, ""])
    elif wanted.assignee:
        rows = rows.filter(
            ~Q(assignee=""), assignee=wanted.assignee
        )  # both: a partial index is chosen by its words
    for label in wanted.labels:
        rows = rows.filter(Exists(TaskLabel.objects.filter(task=OuterRef("pk"), label=label)))
    return rows
