"""Filing on a conversation's own board, and who its rows may be for. See docs/delegation.md."""

from __future__ import annotations

from dataclasses import replace

from django.conf import settings as django_settings
from django.db.models import F

from boards.errors import UnknownAssignee
from boards.hands import Hand
from boards.models import Board, Task, TaskEvent
from boards.selectors.tasks import get_task
from boards.services.dependencies import access_deps
from boards.services.filing import NewTask, file_task
from boards.transitions import OPEN, Status, is_ending
from messaging.delegation.errors import (
    FollowUpOfUnfinished,
    FollowUpTakesNoAssignee,
    SessionHasUnfinishedTask,
    TaskAwaitingAnswer,
    TotalTaskCapExceeded,
)
from messaging.delegation.models import FiledTask
from messaging.delegation.selectors.delegates import Delegates
from workforce.models import Session
from workforce.refusals import listed, quoted

#: The board's name, and the suffix of its tools.
NAME = "tasks"
#: A failure is run again once before the filer hears of it.
MAX_ATTEMPTS = 2
#: A task may file tasks, which may file tasks: so many boards deep.
MAX_DEPTH = 5


def find_board(session: Session) -> Board | None:
    """The conversation's own board, once something was filed on it."""
    return Board.objects.filter(session=session).first()


def ensure_board(session: Session) -> Board:
    """The conversation's own board, made when it is missing. The session is locked by the caller."""
    board, _ = Board.objects.get_or_create(
        session=session,
        defaults={
            "organization_id": session.organization_id,
            "board_id": f"~{session.pk}.{NAME}",
            "mailbox_id": "",
            "name": NAME,
        },
    )
    return board


def file_for_delegate(*, session: Session, by: Hand, delegates: Delegates, new: NewTask) -> Task:
    """File a row for a delegate; its run starts by itself. The session is locked by the caller.

    The same origin key again gives the row that is there, unless what is asked would be refused anyhow: a turn that
    runs again makes the same mistakes before. Raises, and files nothing, in this order: what makes a follow-up
    impossible, UnknownAssignee, TotalTaskCapExceeded, and as ``file_task``.
    """
    board = ensure_board(session)
    there = Task.objects.filter(board=board, origin_key=new.origin_key).first() if new.origin_key else None
    if new.follow_up_of:
        if there is not None and there.follow_up_of:
            return there  # it is itself what its session works on
        new = _following(board, new)
    new = replace(new, assignee=_assignee(delegates, new.assignee), max_attempts=MAX_ATTEMPTS)
    if there is not None:
        access_deps(board, new.deps)
        return there
    above = _task_of(session)
    depth = 1 if above is None else above.depth + 1
    top = None if above is None else above.top or above
    _take_place(top, depth)
    task = file_task(board=board, by=by, new=new)
    FiledTask.objects.create(task=task, top=top, depth=depth)
    return task


def check_assignee(delegates: Delegates, assignee: str) -> None:
    """Raise UnknownAssignee for who is no delegate that takes tasks, in the same words whoever else it may be."""
    takers = delegates.task_takers()
    if assignee in takers:
        return
    if assignee in delegates.ids:
        reason = delegates.why_no_tasks(assignee)
        raise UnknownAssignee(f"{quoted(assignee)} {reason}; these take tasks: {listed(takers)}")
    raise UnknownAssignee(
        f"{quoted(assignee)} is no delegate of this conversation; these take tasks: {listed(takers)} (exact case). "
        "Name one of them, or leave the assignee unset"
    )


def check_not_answered(task: Task) -> None:
    """Raise TaskAwaitingAnswer between the answer to a row's question and the run that goes on with it.

    The answer is for the worker that asked, in the session in which it asked.
    """
    if task.status != Status.PENDING:
        return
    moved = TaskEvent.objects.filter(task=task).exclude(from_status=F("to_status")).order_by("-id").first()
    if moved is not None and moved.kind == "answered":
        raise TaskAwaitingAnswer(
            f"'{task.task_id}' was answered, and {quoted(task.assignee)} goes on with the answer; "
            "leave it there, or cancel it and file another task"
        )


def _assignee(delegates: Delegates, asked: str) -> str:
    """The worker that the row is for: the only one that can take it when none was named, else nobody yet."""
    if asked:
        check_assignee(delegates, asked)
        return asked
    takers = list(delegates.task_takers())
    return takers[0] if len(takers) == 1 else ""


def _following(board: Board, new: NewTask) -> NewTask:
    """The row as one that is worked in the session of the row that it follows, by the same worker."""
    if new.assignee:
        raise FollowUpTakesNoAssignee
    named = get_task(board, new.follow_up_of)
    root = get_task(board, named.follow_up_of) if named.follow_up_of else named
    for task in (named, root):
        if not is_ending(Status(task.status)) or task.run is None:
            raise FollowUpOfUnfinished(
                f"{quoted(task.task_id)} is {task.status} and "
                f"{'was never worked' if task.run is None else 'not done'}; follow up on a task that has ended"
            )
    unfinished = Task.objects.filter(board=board, follow_up_of=root.task_id, status__in=OPEN).first()
    if unfinished is not None:
        raise SessionHasUnfinishedTask(
            f"the session of {quoted(root.task_id)} works on {quoted(unfinished.task_id)} still; wait for its end"
        )
    return replace(new, follow_up_of=root.task_id, assignee=root.assignee)


def _task_of(session: Session) -> FiledTask | None:
    """The row that a session works, when that is one of a conversation's board."""
    kind, _, rest = session.topic.partition(":")
    if kind != "task" or session.parent_id is None:
        return None
    task_id = rest.partition(":")[0]
    filed = FiledTask.objects.filter(task__board__session=session.parent_id).select_related("top")
    while (found := filed.filter(task__task_id=task_id).first()) is None:
        # An operator filed it again: it stands where the row did that it repeats.
        again = Task.objects.filter(board__session=session.parent_id, task_id=task_id).exclude(retry_of="")
        task_id = again.values_list("retry_of", flat=True).first() or ""
        if not task_id:
            return None
    return found


def _take_place(top: FiledTask | None, depth: int) -> None:
    """One more row under the top, decided by the database also between parallel branches."""
    if depth > MAX_DEPTH:
        raise TotalTaskCapExceeded(
            f"this task is {MAX_DEPTH} boards deep, which is the most; do it yourself, or say that it cannot be split"
        )
    limit = django_settings.TASK_CHAIN_LIMIT
    if top is None:
        return
    free = FiledTask.objects.filter(pk=top.pk, under__lt=limit)
    if not free.update(under=F("under") + 1):
        raise TotalTaskCapExceeded(
            f"{limit} tasks were filed under one task, which is the most; go on without another"
        )
