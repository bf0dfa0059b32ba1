"""The one way a row is changed: conditional on the revision that was read, with its event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction

from boards.errors import TaskNotFound
from boards.hands import Hand
from boards.models import Board, Task, TaskEvent
from boards.services.announcing import announce
from boards.services.calling import call_workers_for
from boards.services.nudging import nudge_teller_on_commit
from boards.services.writing import read_row, write_row
from workforce import clock
from workforce.errors import Stale
from workforce.models.fields import dump_json

#: Every failed round means that another write was committed, so this many in a row is a defect.
_ROUNDS = 200

#: The columns that the history keeps, by their name in it. The large ones (what a row is filed with, its
#: output) are written once and stay on the row.
RECORDED = {
    "assignee": "assignee",
    "priority": "priority",
    "labels": "labels",
    "metadata": "metadata",
    "attempts": "attempts",
    "max_attempts": "maxAttempts",
    "abandonments": "abandonments",
    "error": "error",
    "feedback": "feedback",
    "claimed_by": "heldBy",
    "author": "author",
    "retry_of": "retryOf",
    "run": "run",
}


@dataclass(slots=True)
class Change:
    """What a decision wants written: columns, and the kind of the event.

    Columns that differ from the row are written, with the event; when none does, nothing is.
    """

    kind: str
    columns: dict[str, Any] = field(default_factory=dict)
    #: Called in the same transaction, once the row is written.
    then: Callable[[Task], None] | None = None


Decide = Callable[[Task], Change | None]


def change_task(
    *,
    board: Board,
    task_id: str,
    by: Hand,
    decide: Decide,
    if_revision: int | None = None,
    alone: bool = False,
) -> Task:
    """Change a row as ``decide`` says of the row as it stands, and return it.

    ``decide`` looks at the row and returns the change, None for none, or raises a refusal; it is asked again
    when another write came between. ``alone`` locks the row first, against filings that would wait for it.
    Raises TaskNotFound, Stale when ``if_revision`` is not the row's, and what ``decide`` raises; a refusal
    writes nothing.
    """
    with transaction.atomic():
        for _ in range(_ROUNDS):
            task = read_row(board, task_id, locked=alone)
            if task is None:
                raise TaskNotFound.of(board.board_id, task_id)
            if if_revision is not None and task.revision != if_revision:
                raise Stale(f"the row is at revision {task.revision}, not {if_revision}; read it again")
            change = decide(task)
            if change is None or write_change(board=board, task=task, change=change, by=by):
                return task
    raise RuntimeError("a row was written by others two hundred times in a row")


def write_change(*, board: Board, task: Task, change: Change, by: Hand, **still: Any) -> bool:
    """Write the change if the row is still at the revision it was read at; True when it is written (or empty).

    ``still`` are further columns that must be as they are given here.
    """
    before = task.status
    columns = {
        name: value for name, value in change.columns.items() if not same_json(getattr(task, name), value)
    }
    if not columns:
        return True
    written = columns | {"revision": task.revision + 1, "updated_at": max(clock.now(), task.updated_at)}
    if still and not _is_still(task, still):
        return False
    event = _event(task, change.kind, by, (before, written.get("status", before)), columns)
    event.at, event.revision, event.told = written["updated_at"], written["revision"], is_private(board)
    if not write_row(task, written, event):
        return False
    for name, value in written.items():
        setattr(task, name, value)
    if change.then is not None:
        change.then(task)
    follow_change(board, task, change.kind, by)
    return True


def follow_change(board: Board, task: Task, kind: str, by: Hand) -> None:
    """What follows a change that is written: who is told of it, and who is called, once it is committed."""
    _after_commit(board, kind)
    if is_private(board):
        announce(board, task, kind, by)


def append_event(
    *, board: Board, task: Task, kind: str, by: Hand, before: str, columns: dict[str, Any]
) -> None:
    """One line of the row's history, in the transaction of the change; told, and acted on, once that is committed."""
    event = _event(task, kind, by, (before, task.status), columns)
    event.told = is_private(board)
    event.save(force_insert=True)
    _after_commit(board, kind)


def _event(task: Task, kind: str, by: Hand, move: tuple[str, str], columns: dict[str, Any]) -> TaskEvent:
    return TaskEvent(
        task=task,
        kind=kind,
        at=task.updated_at,
        principal=by.principal,
        passname=by.passname,
        seat=by.seat,
        from_status=move[0],
        to_status=move[1],
        changes={shown: columns[name] for name, shown in RECORDED.items() if name in columns},
        revision=task.revision,
    )


def is_private(board: Board) -> bool:
    """Whether the board is a conversation's own: its worker is told of endings, and nobody of changes."""
    return board.session_id is not None


def _after_commit(board: Board, kind: str) -> None:
    if not is_private(board):
        nudge_teller_on_commit(board)
    call_workers_for(kind, board.pk)


def _is_still(task: Task, still: dict[str, Any]) -> bool:
    """Whether further columns are as they must be; locked, so that they stay so until the row is written."""
    rows = Task.objects.select_for_update(no_key=True, of=("self",)).filter(pk=task.pk, **still)
    return bool(list(rows.values_list("pk", flat=True)))


def same_json(present: Any, wanted: Any) -> bool:
    """Whether two values of a column are the same; in JSON 1, 1.0 and true differ."""
    if isinstance(present, (dict, list)) or isinstance(wanted, (dict, list)):
        return dump_json(present) == dump_json(wanted)
    return bool(present == wanted)
