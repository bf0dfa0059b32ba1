"""Filing rows. See docs/boards.md."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from django.db import transaction

from boards.errors import AlreadyRetried, IllegalStatusTransition
from boards.hands import Hand
from boards.ids import new_task_id
from boards.models import Board, Task, TaskLabel
from boards.selectors.tasks import find_retry
from boards.selectors.workers import access_worker_key, is_nobodys, worker_keys
from boards.services.changing import append_event, change_task
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
    #: The same key again is answered with the row that is there.
    origin_key: str | None = None
    #: The request that began what it is filed in; the run that works it goes on with that.
    chain_uid: UUID | None = None
    follow_up_of: str = ""


def file_task(*, board: Board, by: Hand, new: NewTask) -> Task:
    """File a pending row and return it; for an origin key that was filed before the row that is there.

    What would be refused anyhow is refused then too: a turn that runs again makes the same mistakes before. Raises
    UnknownAssignee when the board has declared workers and this is none of them, UnknownDependency and
    DependencyRing, in this order; a refusal writes nothing.
    """
    new = replace(new, assignee=access_worker_key(board, new.assignee))
    with transaction.atomic():
        deps = access_deps(board, new.deps)
        there = _filed_before(board, new)
        if there is not None:
            return there
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


def _filed_before(board: Board, new: NewTask) -> Task | None:
    if new.origin_key is None:
        return None
    return Task.objects.filter(board=board, origin_key=new.origin_key).first()


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
        origin_key=new.origin_key,
        chain_uid=new.chain_uid,
        follow_up_of=new.follow_up_of,
        created_at=moment,
        updated_at=moment,
    )


def _filed_with(task: Task) -> dict[str, Any]:
    """What the history says of the filing: what may change later, as it was at first."""
    names = ("assignee", "priority", "max_attempts", "labels", "metadata", "author", "retry_of")
    filed = {name: getattr(task, name) for name in names}
    return {name: value for name, value in filed.items() if value not in ("", None, [], {})}


def retry_task(*, board: Board, task_id: str, by: Hand, if_revision: int | None = None) -> tuple[Task, bool]:
    """File an ended row again as a new one, which names the old one in ``retryOf``; returns it, and True.

    One ended row is filed again once. The call that comes second, also at the same moment, is answered with the
    row that is there, and False; nothing is written. Raises TaskNotFound, Stale, IllegalStatusTransition for a row
    that has not ended, AlreadyRetried when the row that was filed for it has ended too, and as ``file_task``.
    """
    with transaction.atomic():
        # Locked: of two calls at once the second finds the row that the first has filed.
        ended = change_task(
            board=board, task_id=task_id, by=by, decide=_check_ended, if_revision=if_revision, alone=True
        )
        again = find_retry(board, task_id)
        if again is None:
            return file_task(board=board, by=by, new=_like(board, ended)), True
    if is_ending(Status(again.status)):
        raise AlreadyRetried(
            f"'{task_id}' was filed again as '{again.task_id}', which is {again.status}; retry that one"
        )
    return again, False


def _check_ended(task: Task) -> None:
    if not is_ending(Status(task.status)):
        raise IllegalStatusTransition(
            f"'{task.task_id}' is {task.status}: only a row that has ended is retried"
        )


def _present(board: Board, dep: Task) -> str:
    """The dep's id; of one that will never complete and was filed again, the row that was filed for it last."""
    while dep.status in (Status.ERRORED, Status.CANCELLED):
        again = find_retry(board, dep.task_id)
        if again is None:
            break
        dep = again
    return dep.task_id


def _like(board: Board, task: Task) -> NewTask:
    """The row as a new one: without the mark of being skipped, and unrouted when its worker is none any more."""
    return NewTask(
        goal=task.goal,
        title=task.title,
        context=task.context,
        assignee="" if is_nobodys(task.assignee, worker_keys(board)) else task.assignee,
        priority=task.priority,
        max_attempts=task.max_attempts,
        labels=tuple(label for label in task.labels if label != SKIPPED),
        deps=tuple(_present(board, edge.dep) for edge in task.dep_rows.select_related("dep")),
        input=task.input,
        metadata=task.metadata,
        author=task.author,
        retry_of=task.task_id,
        chain_uid=task.chain_uid,
        follow_up_of=task.follow_up_of,
    )
