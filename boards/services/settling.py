"""Finishing rows, and what holders and coordinators do on the way. See docs/boards.md."""

from __future__ import annotations

from typing import Any

from django.db.models import F

from boards.errors import IllegalStatusTransition, TerminalTaskWriteDeclined, UnfinishedDependencies
from boards.hands import Hand
from boards.models import Board, Task, TaskDep
from boards.services.changing import Change, change_task
from boards.services.holding import NO_CLAIM, check_holds, is_repeated, settlement
from boards.services.writing import has_dependents
from boards.transitions import Status, Verb, is_ending, is_retried, target_of
from workforce import clock


def check_move(task: Task, verb: Verb) -> Status:
    """Where the verb leads. Raises IllegalStatusTransition, with what would work now."""
    target = target_of(verb, Status(task.status))
    if target is None:
        raise IllegalStatusTransition.of(task.task_id, Status(task.status), verb)
    return target


def complete_task(
    *,
    board: Board,
    task_id: str,
    by: Hand,
    output: Any,
    ticket: str | None = None,
    if_revision: int | None = None,
) -> Task:
    """End the row as completed with its output. A holder presents its ticket; a coordinator needs none.

    The same call with the same ticket again is answered as done. Raises TaskNotFound, LostClaim,
    UnfinishedDependencies, IllegalStatusTransition, Stale.
    """
    mark = settlement(ticket, "complete", output)

    def decide(task: Task) -> Change | None:
        if is_repeated(task, mark):
            return None
        check_holds(task, ticket)
        _check_finishable(task)
        columns = {
            "status": check_move(task, Verb.COMPLETE),
            "output": output,
            "error": "",
            "completed_at": clock.now(),
            "settled_with": mark,
        }
        return Change(kind="completed", columns=columns | NO_CLAIM, then=_release_dependents)

    return change_task(
        board=board, task_id=task_id, by=by, decide=decide, if_revision=if_revision, alone=True
    )


def fail_task(
    *,
    board: Board,
    task_id: str,
    by: Hand,
    error: str,
    ticket: str | None = None,
    if_revision: int | None = None,
) -> Task:
    """End the attempt: back to pending with the text as feedback while attempts are left, else errored.

    The same call with the same ticket again is answered as done. Raises TaskNotFound, LostClaim,
    IllegalStatusTransition, Stale.
    """
    mark = settlement(ticket, "fail", error)

    def decide(task: Task) -> Change | None:
        if is_repeated(task, mark):
            return None
        check_holds(task, ticket)
        status = check_move(task, Verb.FAIL)
        if task.status == Status.IN_PROGRESS and _has_attempts_left(task):
            columns = {"status": Status.PENDING, "feedback": error, "error": "", "settled_with": mark}
            return Change(kind="retried", columns=columns | NO_CLAIM)
        ended = {"status": status, "error": error, "completed_at": clock.now(), "settled_with": mark}
        return Change(kind="errored", columns=ended | NO_CLAIM)

    return change_task(board=board, task_id=task_id, by=by, decide=decide, if_revision=if_revision)


def park_task(
    *, board: Board, task_id: str, by: Hand, question: str, ticket: str, if_revision: int | None = None
) -> Task:
    """Set a held row aside with a question; it waits without limit.

    The same call with the same ticket again is answered as done. Raises TaskNotFound, LostClaim, Stale.
    """
    mark = settlement(ticket, "park", question)

    def decide(task: Task) -> Change | None:
        if is_repeated(task, mark):
            return None
        check_holds(task, ticket)
        columns = {"status": check_move(task, Verb.PARK), "feedback": question, "settled_with": mark}
        return Change(kind="parked", columns=columns | NO_CLAIM)

    return change_task(board=board, task_id=task_id, by=by, decide=decide, if_revision=if_revision)


def release_task(
    *, board: Board, task_id: str, by: Hand, ticket: str, if_revision: int | None = None
) -> Task:
    """Put a held row back, the attempt given back.

    The same call with the same ticket again is answered as done. Raises TaskNotFound, LostClaim, Stale.
    """
    mark = settlement(ticket, "release")

    def decide(task: Task) -> Change | None:
        if is_repeated(task, mark):
            return None
        check_holds(task, ticket)
        columns = {
            "status": check_move(task, Verb.RELEASE),
            "attempts": task.attempts - 1,
            "settled_with": mark,
        }
        return Change(kind="released", columns=columns | NO_CLAIM)

    return change_task(board=board, task_id=task_id, by=by, decide=decide, if_revision=if_revision)


def _has_attempts_left(task: Task) -> bool:
    return is_retried(attempts=task.attempts, abandonments=task.abandonments, max_attempts=task.max_attempts)


def _check_finishable(task: Task) -> None:
    """Raise UnfinishedDependencies, naming them, for a row that waits for others."""
    if not task.unmet or is_ending(Status(task.status)):
        return
    waits_for = task.dep_rows.exclude(dep__status=Status.COMPLETED).values_list("dep__task_id", "dep__status")
    named = ", ".join(f"'{dep}' ({status})" for dep, status in waits_for[:20])
    raise UnfinishedDependencies(f"'{task.task_id}' waits for what is not completed: {named}")


def answer_task(*, board: Board, task_id: str, by: Hand, answer: str, if_revision: int | None = None) -> Task:
    """Answer a parked row: back to pending with the answer as feedback, the attempt given back.

    One park takes one answer. Raises TaskNotFound, IllegalStatusTransition, Stale.
    """

    def decide(task: Task) -> Change:
        status = check_move(task, Verb.ANSWER)
        columns = {"status": status, "feedback": answer, "attempts": task.attempts - 1}
        return Change(kind="answered", columns=columns)

    return change_task(board=board, task_id=task_id, by=by, decide=decide, if_revision=if_revision)


def reclaim_task(*, board: Board, task_id: str, by: Hand, if_revision: int | None = None) -> Task:
    """Take a row from whoever holds it, back to pending; its attempts stay counted.

    Raises TaskNotFound, IllegalStatusTransition, Stale.
    """

    def decide(task: Task) -> Change:
        return Change(kind="reclaimed", columns={"status": check_move(task, Verb.RECLAIM), **NO_CLAIM})

    return change_task(board=board, task_id=task_id, by=by, decide=decide, if_revision=if_revision)


def block_task(
    *, board: Board, task_id: str, by: Hand, reason: str = "", if_revision: int | None = None
) -> Task:
    """Hold a pending row back, or give a blocked one another reason.

    Raises TaskNotFound, IllegalStatusTransition, Stale.
    """

    def decide(task: Task) -> Change:
        columns: dict[str, Any] = {"status": check_move(task, Verb.BLOCK)}
        return Change(kind="blocked", columns=columns | ({"error": reason} if reason else {}))

    return change_task(board=board, task_id=task_id, by=by, decide=decide, if_revision=if_revision)


def unblock_task(*, board: Board, task_id: str, by: Hand, if_revision: int | None = None) -> Task:
    """Let a blocked row go on; its reason is cleared. Raises TaskNotFound, IllegalStatusTransition, Stale."""

    def decide(task: Task) -> Change:
        return Change(kind="unblocked", columns={"status": check_move(task, Verb.UNBLOCK), "error": ""})

    return change_task(board=board, task_id=task_id, by=by, decide=decide, if_revision=if_revision)


def cancel_task(
    *,
    board: Board,
    task_id: str,
    by: Hand,
    reason: str = "",
    ticket: str | None = None,
    if_revision: int | None = None,
) -> Task:
    """End the row as cancelled, held or not. A holder presents its ticket; a coordinator needs none.

    Raises TaskNotFound, TerminalTaskWriteDeclined for an ended row, LostClaim, Stale.
    """
    mark = settlement(ticket, "cancel", reason)

    def decide(task: Task) -> Change | None:
        if is_repeated(task, mark):
            return None
        check_holds(task, ticket)
        if is_ending(Status(task.status)):
            raise TerminalTaskWriteDeclined(
                f"'{task_id}' is {task.status}, which is final; it cannot be cancelled"
            )
        columns: dict[str, Any] = {
            "status": Status.CANCELLED,
            "completed_at": clock.now(),
            "settled_with": mark,
        }
        return Change(kind="cancelled", columns=columns | NO_CLAIM | ({"error": reason} if reason else {}))

    return change_task(board=board, task_id=task_id, by=by, decide=decide, if_revision=if_revision)


def _release_dependents(task: Task) -> None:
    """Rows that wait for this one wait for one less."""
    if not has_dependents(task):
        return
    waiting = Task.objects.filter(pk__in=TaskDep.objects.filter(dep=task).values("task"))
    # Locked in key order: two rows that end at once and share dependents must not wait for each other.
    locked = waiting.select_for_update(no_key=True, of=("self",)).order_by("pk")
    keys = list(locked.values_list("pk", flat=True))
    Task.objects.filter(pk__in=keys).update(unmet=F("unmet") - 1)
