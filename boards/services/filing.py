"""Filing rows. See docs/boards.md."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from django.db import transaction

from boards.errors import IllegalStatusTransition
from boards.hands import Hand
from boards.ids import new_task_id
from boards.models import Board, Task, TaskLabel
from boards.selectors.workers import access_worker_key
from boards.services.changing import append_event
from boards.services.dependencies import SKIPPED, access_deps, add_deps
from boards.transitions import Status, is_ending
from workforce import clock


@dataclass(frozen=True, slots=True)
class NewTask:
    """What a row is filed with."""

    goal: str
    title: str = ""
    context: str = ""
    assignee: str = ""
    priority: float | None = None
    max_attempts: int | None = None
    labels: tuple[str, ...] = ()
    deps: tuple[str, ...] = ()
    input: Any = None
    metadata: dict[str, Any] = field(default_factory=dict)
    author: str = ""
    retry_of: str = ""


def file_task(*, board: Board, by: Hand, new: NewTask) -> Task:
    """File a pending row and return it.

    Raises UnknownAssignee when the board has declared workers and this is none of them, UnknownDependency and
    DependencyRing, in this order; a refusal writes nothing.
    """
    new = replace(new, assignee=access_worker_key(board, new.assignee))
    with transaction.atomic():
        deps = access_deps(board, new.deps)
        task = _row(board, by, new)
        task.unmet = len(deps)
        task.save(force_insert=True)
        unmet = add_deps(task, deps)
        if unmet != task.unmet:
            task.unmet = unmet
            task.save(update_fields=["unmet"])
        TaskLabel.objects.bulk_create(TaskLabel(task=task, label=label) for label in task.labels)
        append_event(board=board, task=task, kind="added", by=by, before="", columns=_filed_with(task))
    return task


def _row(board: Board, by: Hand, new: NewTask) -> Task:
    moment = clock.now()
    return Task(
        board=board,
        task_id=new_task_id(),
        goal=new.goal,
        title=new.title,
        context=new.context,
        assignee=new.assignee,
        priority=new.priority,
        rank=new.priority or 0,
        max_attempts=new.max_attempts,
        labels=list(dict.fromkeys(new.labels)),
        input=new.input,
        metadata=new.metadata,
        author=new.author,
        created_by=by.principal,
        retry_of=new.retry_of,
        created_at=moment,
        updated_at=moment,
    )


def _filed_with(task: Task) -> dict[str, Any]:
    """What the history says of the filing: what may change later, as it was at first."""
    names = ("assignee", "priority", "max_attempts", "labels", "metadata", "author", "retry_of")
    filed = {name: getattr(task, name) for name in names}
    return {name: value for name, value in filed.items() if value not in ("", None, [], {})}


def retry_task(*, board: Board, task: Task, by: Hand) -> Task:
    """File an ended row again as a new one, which names the old one in ``retryOf``.

    Raises IllegalStatusTransition for a row that has not ended, and as ``file_task``.
    """
    if not is_ending(Status(task.status)):
        raise IllegalStatusTransition(
            f"'{task.task_id}' is {task.status}: only a row that has ended is retried"
        )
    new = NewTask(
        goal=task.goal,
        title=task.title,
        context=task.context,
        assignee=task.assignee,
        priority=task.priority,
        max_attempts=task.max_attempts,
        labels=tuple(label for label in task.labels if label != SKIPPED),
        deps=tuple(task.dep_rows.values_list("dep__task_id", flat=True)),
        input=task.input,
        metadata=task.metadata,
        author=task.author,
        retry_of=task.task_id,
    )
    return file_task(board=board, by=by, new=new)
