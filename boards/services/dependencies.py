"""What rows wait for. See docs/boards.md, "Dependencies"."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

from django.db import connection, transaction

from boards.errors import DependencyRing, IllegalStatusTransition, UnknownDependency
from boards.hands import Hand
from boards.models import Board, Task, TaskDep, TaskLabel
from boards.services.changing import Change, change_task
from boards.services.holding import NO_CLAIM
from boards.transitions import Status
from workforce import clock

SKIPPED = "skipped"
_FALLEN = (Status.ERRORED, Status.CANCELLED)


def access_deps(board: Board, ids: Iterable[str]) -> list[Task]:
    """The rows of these ids, each once, in their order. Raises UnknownDependency, naming all that are not there."""
    wanted = list(dict.fromkeys(ids))
    rows = Task.objects.filter(board=board, task_id__in=wanted).only("pk", "task_id", "status")
    found = {row.task_id: row for row in rows}
    unknown = [task_id for task_id in wanted if task_id not in found]
    if unknown:
        named = ", ".join(f"'{task_id[:100]}'" for task_id in unknown[:20])
        raise UnknownDependency(
            f"not on the board '{board.board_id}': {named}; a row can wait for rows of its own board only"
        )
    return [found[task_id] for task_id in wanted]


def add_deps(task: Task, deps: Sequence[Task]) -> int:
    """Have a row wait for others of its board; returns how many of them are not completed.

    Raises DependencyRing. Must be called in the transaction that writes the row. A dep that is being completed
    at this moment has either ended when this returns, or will count the row when it ends.
    """
    if not deps:
        return 0
    check_no_ring(task, deps)
    _hold_open(deps)
    TaskDep.objects.bulk_create(TaskDep(task=task, dep=dep, position=n) for n, dep in enumerate(deps))
    return TaskDep.objects.filter(task=task).exclude(dep__status=Status.COMPLETED).count()


def _hold_open(deps: Sequence[Task]) -> None:
    """Let none of the rows be completed before the transaction ends; claims and other changes go on."""
    if connection.vendor != "postgresql":
        return  # there the transaction is alone
    table = connection.ops.quote_name(Task._meta.db_table)
    with connection.cursor() as cursor:
        # Django can ask for every lock but this one. In key order, as everywhere.
        text = f"SELECT 1 FROM {table} WHERE id = ANY(%s) ORDER BY id FOR KEY SHARE"  # noqa: S608
        cursor.execute(text, [[dep.pk for dep in deps]])


def check_no_ring(task: Task, deps: Sequence[Task]) -> None:
    """Raise DependencyRing, naming the way round, when one of the deps waits (through others) for the row."""
    if any(dep.pk == task.pk for dep in deps):
        raise DependencyRing(f"'{task.task_id}' would wait for itself")
    if not TaskDep.objects.filter(dep=task).exists():
        return  # nobody waits for the row, so no way leads back to it
    came_from: dict[int, int] = {dep.pk: task.pk for dep in deps}
    frontier = list(came_from)
    while frontier:
        edges = TaskDep.objects.filter(task_id__in=frontier).values_list("task_id", "dep_id")
        frontier = []
        for above, below in edges:
            if below == task.pk:
                raise DependencyRing(
                    f"'{task.task_id}' would wait for itself: {_way(task, above, came_from)}"
                )
            if below not in came_from:
                came_from[below] = above
                frontier.append(below)


def _way(task: Task, last: int, came_from: dict[int, int]) -> str:
    keys = [task.pk, last]
    while keys[-1] != task.pk:
        keys.append(came_from[keys[-1]])
    names = dict(Task.objects.filter(pk__in=keys).values_list("pk", "task_id"))
    return " → ".join(names[key] for key in reversed(keys))


def stuck_on(task: Task) -> list[str]:
    """The ids of deps that ended without being completed: the row waits for ever."""
    failed = task.dep_rows.filter(dep__status__in=_FALLEN)
    return list(failed.values_list("dep__task_id", flat=True))


def skip_dependents(*, board: Board, task_id: str, by: Hand, if_revision: int | None = None) -> list[Task]:
    """Cancel every pending row that waits, directly or through others, for a row that cannot complete.

    Each gets the reason and the label ``skipped``. Returns the rows that were cancelled. Rows that moved
    meanwhile are left as they are. Raises TaskNotFound, Stale, and IllegalStatusTransition for a row that may
    still complete, or has.
    """
    cancelled: list[Task] = []
    with transaction.atomic():
        fallen = {task.pk: task for task in [_fallen(board, task_id, by, if_revision)]}
        # A row is younger than what it waits for, so its key is greater: taken by key, every row comes after
        # all that it waits for, and two skips at once lock rows in one order.
        waiting = _waiting_for(fallen)
        while waiting:
            pk, dep = heapq.heappop(waiting)
            if pk in fallen:
                continue
            row = _skip(board, pk, by, fallen[dep])
            if row is not None:
                cancelled.append(row)
                fallen[pk] = row
                for entry in _waiting_for([pk]):
                    heapq.heappush(waiting, entry)
    return cancelled


def _fallen(board: Board, task_id: str, by: Hand, if_revision: int | None) -> Task:
    root = change_task(board=board, task_id=task_id, by=by, decide=lambda _: None, if_revision=if_revision)
    if root.status not in _FALLEN:
        raise IllegalStatusTransition(
            f"'{task_id}' is {root.status}: only what waits for an errored or cancelled row can be skipped"
        )
    return root


def _waiting_for(keys: Iterable[int]) -> list[tuple[int, int]]:
    edges = TaskDep.objects.filter(dep__in=list(keys), task__status=Status.PENDING)
    return sorted(edges.values_list("task_id", "dep_id"))


def _skip(board: Board, pk: int, by: Hand, fallen: Task) -> Task | None:
    """The row, cancelled now; None when it is not pending any more."""
    reason = f"skipped: '{fallen.task_id}' ended {fallen.status}"
    skipped = False

    def decide(task: Task) -> Change | None:
        nonlocal skipped
        skipped = task.status == Status.PENDING
        if not skipped:
            return None
        labels = [*task.labels, *([] if SKIPPED in task.labels else [SKIPPED])]
        columns = {"status": Status.CANCELLED, "error": reason, "labels": labels, "completed_at": clock.now()}
        return Change(kind="cancelled", columns=columns | NO_CLAIM, then=_label)

    task_id = Task.objects.values_list("task_id", flat=True).get(pk=pk)
    row = change_task(board=board, task_id=task_id, by=by, decide=decide)
    return row if skipped else None


def _label(task: Task) -> None:
    TaskLabel.objects.get_or_create(task=task, label=SKIPPED)
