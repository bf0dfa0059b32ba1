"""Running a tool: its answer is a value, a refusal too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from boards.errors import TaskWriteDeclined
from boards.hands import Hand
from boards.models import Board, Task
from boards.selectors.tasks import get_task
from boards.services.editing import UNSET, Patch, assign_task, update_task
from boards.services.filing import NewTask, file_task
from boards.services.settling import block_task, cancel_task, complete_task, fail_task
from boards.shapes import tool_shape
from boards.tickets import read_ticket
from boards.tools import inputs
from workforce.cursors import decode_cursor, encode_cursor
from workforce.errors import DomainError, InvalidCursor, InvalidInput

#: What a worker on a task turn may do to the row that it holds, and to no other.
OWN_ROW_ONLY = frozenset({"completeTask", "failTask", "blockTask", "cancelTask"})


@dataclass(frozen=True, slots=True)
class OnTurn:
    """What a worker's turn presents by itself; nothing for a call that is no turn's."""

    #: That of the row the turn works on, if any: then only that row can be ended or blocked.
    ticket: str | None = None
    #: Of which effect of the turn a row is that is filed now.
    origin_key: str | None = None
    #: The chain that such a row goes on with.
    chain_uid: UUID | None = None


def run_tool(
    *,
    tool: str,
    board: Board,
    by: Hand,
    value: Any,
    ticket: str | None = None,
    origin_key: str | None = None,
    chain_uid: UUID | None = None,
) -> dict[str, Any]:
    """``{ok: true, …}``, or ``{ok: false, error: "<code>: <sentence>", taskId?}`` for a refusal.

    ``value`` is the tool's validated input; ``ticket``, ``origin_key`` and ``chain_uid`` are those of OnTurn. Raises
    InvalidInput and InvalidCursor, which are no answers of the board.
    """
    turn = OnTurn(ticket, origin_key, chain_uid)
    try:
        with transaction.atomic():
            if ticket is not None and tool in OWN_ROW_ONLY:
                _check_own(board, value.task_id, ticket)
            return {"ok": True, **_RUN[tool](board, by, value, turn)}
    except (InvalidInput, InvalidCursor):
        raise
    except DomainError as refusal:
        answer: dict[str, Any] = {"ok": False, "error": f"{refusal.code}: {refusal.words}"}
        task_id = getattr(value, "task_id", None)
        return answer | ({"taskId": task_id} if task_id else {})


def _check_own(board: Board, task_id: str, ticket: str) -> None:
    """Raise TaskNotFound, and TaskWriteDeclined for another row than the one the ticket is of."""
    task, held = get_task(board, task_id), read_ticket(ticket)
    if held is None or (held.board, held.task) != (board.pk, task.pk):
        own = Task.objects.filter(pk=held.task).values_list("task_id", flat=True).first() if held else None
        raise TaskWriteDeclined(
            f"'{task_id}' is not the row that is held here, which is '{own}'; settle that one"
        )


def _add(board: Board, by: Hand, value: inputs.AddTask, turn: OnTurn) -> dict[str, Any]:
    new = NewTask(
        goal=value.goal,
        assignee=value.assignee or "",
        deps=tuple(value.deps),
        priority=value.priority,
        input=value.input,
        metadata=value.metadata,
        origin_key=turn.origin_key,
        chain_uid=turn.chain_uid,
    )
    return {"taskId": file_task(board=board, by=by, new=new).task_id}


def _assign(board: Board, by: Hand, value: inputs.AssignTask, turn: OnTurn) -> dict[str, Any]:
    assign_task(board=board, task_id=value.task_id, by=by, assignee=value.assignee)
    return {}


def _update(board: Board, by: Hand, value: inputs.UpdateTask, turn: OnTurn) -> dict[str, Any]:
    update_task(board=board, task_id=value.task_id, by=by, patch=patch_of(value.patch))
    return {}


def patch_of(patch: inputs.TaskPatch) -> Patch:
    """The patch as the service takes it: what was not sent is unset."""
    sent = patch.model_fields_set
    return Patch(
        **{name: getattr(patch, name) if name in sent else UNSET for name in inputs.TaskPatch.model_fields}
    )


def _list(board: Board, by: Hand, value: inputs.ListTasks, turn: OnTurn) -> dict[str, Any]:
    rows = Task.objects.filter(board=board)
    if value.status:
        rows = rows.filter(status=value.status)
    if value.assignee:
        rows = rows.filter(~Q(assignee=""), assignee=value.assignee)
    scope = f"tool-tasks:{board.pk}"
    if value.cursor is not None:
        at, pk = decode_cursor(scope, value.cursor)
        moment = datetime.fromisoformat(at)
        rows = rows.filter(Q(created_at__lt=moment) | Q(created_at=moment, pk__lt=pk), created_at__lte=moment)
    found = list(rows.order_by("-created_at", "-pk")[: value.limit + 1])
    answer: dict[str, Any] = {"tasks": [tool_shape(task) for task in found[: value.limit]]}
    if len(found) > value.limit:
        last = found[value.limit - 1]
        answer["nextCursor"] = encode_cursor(scope, [last.created_at.isoformat(), last.pk])
    return answer


def _complete(board: Board, by: Hand, value: inputs.CompleteTask, turn: OnTurn) -> dict[str, Any]:
    complete_task(board=board, task_id=value.task_id, by=by, output=value.output, ticket=turn.ticket)
    return {}


def _fail(board: Board, by: Hand, value: inputs.FailTask, turn: OnTurn) -> dict[str, Any]:
    fail_task(board=board, task_id=value.task_id, by=by, error=value.error, ticket=turn.ticket)
    return {}


def _block(board: Board, by: Hand, value: inputs.BlockTask, turn: OnTurn) -> dict[str, Any]:
    block_task(board=board, task_id=value.task_id, by=by, reason=value.reason)
    return {}


def _cancel(board: Board, by: Hand, value: inputs.CancelTask, turn: OnTurn) -> dict[str, Any]:
    cancel_task(board=board, task_id=value.task_id, by=by, reason=value.reason, ticket=turn.ticket)
    return {}


_RUN: dict[str, Callable[[Board, Hand, Any, OnTurn], dict[str, Any]]] = {
    "addTask": _add,
    "assignTask": _assign,
    "updateTask": _update,
    "listTasks": _list,
    "completeTask": _complete,
    "failTask": _fail,
    "blockTask": _block,
    "cancelTask": _cancel,
}
