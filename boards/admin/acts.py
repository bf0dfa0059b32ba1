"""What an operator does to a row: each act calls one service, with the revision that was looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from boards.admin.columns import column_of
from boards.admin.fields import ANSWER, ASSIGNEE, ERROR, OUTPUT, REASON, Field
from boards.hands import Hand
from boards.models import Task
from boards.services import settling
from boards.services.dependencies import skip_dependents
from boards.services.editing import assign_task
from boards.services.filing import retry_task
from boards.services.judging import check_author
from boards.transitions import Status, Verb, is_assignable, is_ending, is_retried, target_of


@dataclass(frozen=True, slots=True)
class Pressed:
    """An act on a row: which row, by whom, with what, and the revision that was looked at."""

    task: Task
    by: Hand
    revision: int
    value: Any = None

    @property
    def row(self) -> dict[str, Any]:
        """What every service of a row takes."""
        task = self.task
        return {"board": task.board, "task_id": task.task_id, "by": self.by, "if_revision": self.revision}


@dataclass(frozen=True, slots=True)
class Act:
    """``run`` calls the service and returns the words of its success; a refusal is raised.

    ``words`` tell what will happen before it does. ``fits`` says whether the row's state admits it; the service
    has the last word. ``leads`` is the status that a move leads to, None for what is no move.
    """

    name: str
    label: str
    words: str
    run: Callable[[Pressed], str]
    fits: Callable[[Task], bool]
    leads: Callable[[Task], Status | None] = lambda task: None
    field: Field | None = None
    bulk: bool = False
    grave: bool = False

    def column(self, task: Task) -> str:
        """The column that the act would take the row to; empty when it stays where it is."""
        target = self.leads(task)
        return column_of(target).name if target and column_of(target) is not column_of(task.status) else ""


def _move(verb: Verb) -> dict[str, Any]:
    """When a verb is legal, and where it leads: as the table of moves says."""
    return {
        "fits": lambda task: target_of(verb, Status(task.status)) is not None,
        "leads": lambda task: target_of(verb, Status(task.status)),
    }


def _after_failing(task: Task) -> Status | None:
    if task.status == Status.IN_PROGRESS and is_retried(
        attempts=task.attempts, abandonments=task.abandonments, max_attempts=task.max_attempts
    ):
        return Status.PENDING
    return target_of(Verb.FAIL, Status(task.status))


def _assign(pressed: Pressed) -> str:
    return f"it is assigned to {assign_task(**pressed.row, assignee=pressed.value).assignee}"


def _unassign(pressed: Pressed) -> str:
    assign_task(**pressed.row, assignee="")
    return "it is for nobody yet"


def _answer(pressed: Pressed) -> str:
    settling.answer_task(**pressed.row, answer=pressed.value)
    return "it is answered and queued again"


def _block(pressed: Pressed) -> str:
    settling.block_task(**pressed.row, reason=pressed.value)
    return "it is blocked"


def _unblock(pressed: Pressed) -> str:
    settling.unblock_task(**pressed.row)
    return "it is queued again"


def _reclaim(pressed: Pressed) -> str:
    settling.reclaim_task(**pressed.row)
    return "it is taken back and queued again"


def _complete(pressed: Pressed) -> str:
    settling.complete_task(**pressed.row, output=pressed.value)
    return "it is completed"


def _fail(pressed: Pressed) -> str:
    task = settling.fail_task(**pressed.row, error=pressed.value)
    return "it failed, and is queued for another attempt" if task.status == Status.PENDING else "it failed"


def _retry(pressed: Pressed) -> str:
    # Whether the board takes filings now; the author was judged at the first one.
    check_author(pressed.task.board, None)
    row, is_new = retry_task(**pressed.row)
    return (
        f"it is filed again, as {row.task_id}" if is_new else f"it was filed again before, as {row.task_id}"
    )


def _skip(pressed: Pressed) -> str:
    number = len(skip_dependents(**pressed.row))
    return f"{number} {'row that waits' if number == 1 else 'rows that wait'} for it cancelled"


def _cancel(pressed: Pressed) -> str:
    settling.cancel_task(**pressed.row, reason=pressed.value)
    return "it is cancelled"


ACTS = (
    Act("answer", "Answer", "Queues the row again; the next attempt reads your answer.", _answer,
        **_move(Verb.ANSWER), field=ANSWER),
    Act("unblock", "Unblock", "Queues the row again and clears the reason.", _unblock,
        **_move(Verb.UNBLOCK), bulk=True),
    Act("assign", "Assign", "Routes the row to a worker. It is no claim: the worker takes it when it is free.",
        _assign, fits=lambda task: is_assignable(Status(task.status)), field=ASSIGNEE, bulk=True),
    Act("unassign", "Unassign", "Takes the row from the worker it is routed to: it waits until it is assigned again, "
        "or goes to the only worker.", _unassign,
        fits=lambda task: bool(task.assignee) and is_assignable(Status(task.status)), bulk=True),
    Act("block", "Block", "Holds the row back until somebody unblocks it. On a blocked row it changes the reason.",
        _block, **_move(Verb.BLOCK), field=REASON, bulk=True),
    Act("reclaim", "Take back", "Takes the row from whoever holds it and queues it again. The attempt stays counted, "
        "and a result that still comes is refused.", _reclaim, **_move(Verb.RECLAIM), bulk=True, grave=True),
    Act("complete", "Complete", "Ends the row with a result of yours. What its holder sends later is refused.",
        _complete, **_move(Verb.COMPLETE), field=OUTPUT),
    Act("fail", "Fail", "Ends the attempt. While attempts are left the row is queued again, else it ends as errored.",
        _fail, fits=lambda task: target_of(Verb.FAIL, Status(task.status)) is not None, leads=_after_failing,
        field=ERROR, grave=True),
    Act("retry", "Retry", "Files a new row like this one, which names it. This one stays as it ended.", _retry,
        fits=lambda task: is_ending(Status(task.status)), bulk=True),
    Act("skip-dependents", "Skip dependents", "Cancels every queued row that waits for this one, directly or "
        "through others: it will never complete.", _skip,
        fits=lambda task: task.status in (Status.ERRORED, Status.CANCELLED), bulk=True, grave=True),
    Act("cancel", "Cancel", "Ends the row without a result, for good. Rows that wait for it are stuck then.",
        _cancel, **_move(Verb.CANCEL), field=REASON, bulk=True, grave=True),
)  # fmt: skip
BY_NAME = {act.name: act for act in ACTS}
BULK = tuple(act for act in ACTS if act.bulk)


def acts_for(task: Task) -> list[Act]:
    """The acts that a row's state admits."""
    return [act for act in ACTS if act.fits(task)]
