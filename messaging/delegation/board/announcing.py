"""How tasks ended, told to the conversation that filed them: owed with the ending itself. See docs/delegation.md."""

from __future__ import annotations

import json

from boards.hands import Hand
from boards.models import Board, Task
from workforce.dispatch.start import nudge_on_commit
from workforce.ids import new_uuid
from workforce.kinds import WorkerKind, registered_kinds
from workforce.kinds.endings import HEAR, TaskEnding
from workforce.models import Request, Session
from workforce.turns.fences import clean, cut

#: The changes that a filer hears of, and the column that says what it is told.
ANNOUNCED = ("completed", "errored", "parked")
#: How much of an output, an error or a question the line shows.
SHOWN = 8_000
_TITLE = 200


def announce_ending(board: Board, task: Task, kind: str, by: Hand) -> None:
    """Owe the filer the run that hears of it, in the transaction of the change. See ``boards.services.announcing``.

    Nothing is owed of what the filer did itself, nor of cancels and of failures that are run again.
    """
    if kind not in ANNOUNCED or not task.assignee:
        return
    conversation = Session.objects.select_related("seat").get(board=board)
    filer = conversation.seat
    heard = registered_kinds().get(conversation.kind)
    if (
        filer is None
        or by.seat == filer.seat_id
        or not (isinstance(heard, WorkerKind) and heard.hears_endings)
    ):
        return
    request = Request(
        uid=new_uuid(),
        session=conversation,
        action=HEAR,
        source=Request.Source.TASK,
        serial=True,
        input=_ending(board, task, kind).model_dump(mode="json"),
        chain_uid=task.chain_uid,
        # One for each time that the row ends or parks: its revision rises with every change.
        dispatch_key=f"settled:{task.pk}:{task.revision}",
    )
    request.chain_uid = request.chain_uid or request.uid
    request.save(force_insert=True)
    nudge_on_commit([request])


def _ending(board: Board, task: Task, kind: str) -> TaskEnding:
    return TaskEnding.model_validate(
        {
            "boardId": board.board_id,
            "taskId": task.task_id,
            "worker": task.assignee,
            "title": clean(task.title or cut(" ".join(task.goal.split()), _TITLE)),
            "status": kind,
            "text": cut(clean(_text(task, kind)), SHOWN),
        }
    )


def _text(task: Task, kind: str) -> str:
    if kind == "completed":
        return task.output if isinstance(task.output, str) else json.dumps(task.output, ensure_ascii=False)
    return task.error if kind == "errored" else task.feedback
