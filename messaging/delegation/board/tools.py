"""The tools of a conversation's own board, and the question of who works a row of one. See docs/delegation.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from django.db import transaction
from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from boards.drains.leases import hand_of
from boards.errors import TerminalTaskWriteDeclined
from boards.limits import TaskId, Words
from boards.models import Board, Task
from boards.selectors.tasks import get_task
from boards.services.filing import NewTask
from boards.services.settling import answer_task, park_task
from boards.tickets import read_ticket
from boards.toolnames import BOARD_TOOLS
from boards.tools.inputs import INPUTS, AddTask, ListTasks
from boards.tools.running import run_tool
from boards.transitions import OPEN, Status, is_ending
from messaging.delegation.board.filing import (
    NAME,
    check_assignee,
    check_not_answered,
    ensure_board,
    file_for_delegate,
    find_board,
)
from messaging.delegation.errors import NotParkedOnQuestion
from messaging.delegation.selectors.delegates import Delegates, delegates_of
from workforce.errors import DomainError, InvalidCursor, InvalidInput
from workforce.kinds import ClosedModel, WorkerKind, registered_kinds
from workforce.kinds.tasks import TaskDelivery
from workforce.models import Session
from workforce.refusals import quoted
from workforce.toolnames import tool_name
from workforce.toolsets import Tool, Turn

ANSWER, PARK = "answerTask", "parkOnQuestion"
#: What the origin keys of a turn's filings begin with.
FILED = "filed"
#: The tools that give a row to a delegate.
_GIVING = ("addTask", "assignTask")
#: How much of each delegate's description the tools show.
SHOWN = 300

Answer = dict[str, Any]


class FileTask(AddTask):
    """File a task for a delegate. This returns at once; how it ended comes back to this conversation."""

    follow_up_of: TaskId | None = Field(
        default=None, description="An ended task: this one goes on in its session, with its worker."
    )


class AnswerTask(ClosedModel):
    """Answer the question that a task waits for; its worker goes on where it stopped."""

    model_config = ConfigDict(alias_generator=to_camel)

    task_id: TaskId
    answer: Words


class Question(ClosedModel):
    """Ask whoever filed this task, and stop here: you go on when the answer comes. Write nothing after it."""

    question: Words


def offer_conversation_board(turn: Turn) -> Iterator[Tool]:
    """The board's tools while a delegate of the conversation takes tasks, and the question on a turn for such a row.

    Without one, those for what was filed before, while something of that is open: it may be asking.
    """
    if _works_private_row(turn):
        yield Tool(PARK, Question.__doc__ or "", Question, _park)
    kind = registered_kinds().get(turn.seat.kind)
    if not (isinstance(kind, WorkerKind) and kind.hears_endings):
        return
    delegates = delegates_of(turn.session, turn.settings)
    takers = delegates.task_takers()
    if not takers and not _has_open(turn.session):
        return
    known = "\n".join(["Delegates that take tasks:", *map(_line, takers.values())])
    for tool in BOARD_TOOLS if takers else [tool for tool in BOARD_TOOLS if tool not in _GIVING]:
        model = FileTask if tool == "addTask" else INPUTS[tool]
        words = (
            f"{model.__doc__}\n{known}"
            if tool == "addTask"
            else f"{model.__doc__} Tasks that you filed here."
        )
        yield Tool(tool_name(tool, NAME), words, model, partial(_run, tool))
    yield Tool(tool_name(ANSWER, NAME), AnswerTask.__doc__ or "", AnswerTask, _answer)


def _has_open(session: Session) -> bool:
    return Task.objects.filter(board__session=session, status__in=OPEN).exists()


def _line(seat: Any) -> str:
    words = " ".join(seat.description[: SHOWN * 2].split())[:SHOWN]
    return f"- {seat.seat_id}: {words}" if words else f"- {seat.seat_id}"


def _run(tool: str, turn: Turn, value: Any) -> Answer:
    """Run a tool on the conversation's own board, as its filer, who needs no ticket there."""
    if isinstance(value, ListTasks):
        board = find_board(turn.session)
        by = hand_of(turn.session, turn.seat)
        return (
            {"ok": True, "tasks": []}
            if board is None
            else run_tool(tool=tool, board=board, by=by, value=value)
        )
    if isinstance(value, FileTask):
        return _file(turn, value)
    with turn.work.step() as call:
        by = hand_of(call.session, turn.seat)
        delegates = delegates_of(call.session, turn.settings)
        board = ensure_board(call.session)
        return _answered(lambda: _changed(tool, board, by, delegates, value), getattr(value, "task_id", None))


def _file(turn: Turn, value: FileTask) -> Answer:
    new = _new(value, turn)
    with turn.work.step() as call:
        by = hand_of(call.session, turn.seat)
        delegates = delegates_of(call.session, turn.settings)
        answer = _answered(lambda: _filed(call.session, by, delegates, new))
    if answer[
        "ok"
    ]:  # what is refused has no number, for a turn that runs again may not make the same mistake
        turn.key(FILED)
    return answer


def _new(value: FileTask, turn: Turn) -> NewTask:
    return NewTask(
        goal=value.goal,
        assignee=value.assignee or "",
        deps=tuple(value.deps),
        priority=value.priority,
        input=value.input,
        metadata=value.metadata,
        origin_key=turn.next_key(FILED),
        chain_uid=turn.request.chain_uid or turn.request.uid,
        follow_up_of=value.follow_up_of or "",
    )


def _filed(session: Any, by: Any, delegates: Delegates, new: NewTask) -> Answer:
    task = file_for_delegate(session=session, by=by, delegates=delegates, new=new)
    return {"ok": True, "taskId": task.task_id, **({"assignee": task.assignee} if task.assignee else {})}


def _changed(tool: str, board: Board, by: Any, delegates: Delegates, value: Any) -> Answer:
    """Any other change: the row, whether its worker is to go on with an answer, who it would be for, then the write."""
    patch = getattr(value, "patch", value)
    assignee = getattr(patch, "assignee", "") if "assignee" in patch.model_fields_set else ""
    if assignee:
        check_not_answered(get_task(board, value.task_id))
        check_assignee(delegates, assignee)
    return run_tool(tool=tool, board=board, by=by, value=value)


def _answer(turn: Turn, value: AnswerTask) -> Answer:
    """Answer a parked row; one question takes one answer."""
    with turn.work.step() as call:
        board = ensure_board(call.session)
        by = hand_of(call.session, turn.seat)
        return _answered(lambda: _answer_row(board, by, value), value.task_id)


def _answer_row(board: Board, by: Any, value: AnswerTask) -> Answer:
    task = get_task(board, value.task_id)
    if is_ending(Status(task.status)):
        raise TerminalTaskWriteDeclined(
            f"{quoted(task.task_id)} is {task.status}, which is final; file another"
        )
    if task.status != Status.PARKED:
        raise NotParkedOnQuestion(f"{quoted(task.task_id)} is {task.status} and waits for no answer")
    answer_task(board=board, task_id=task.task_id, by=by, answer=value.answer)
    return {"ok": True}


def _answered(act: Callable[[], Answer], task_id: str | None = None) -> Answer:
    """What the act answers, or its refusal as a value; then nothing of it is written."""
    try:
        with transaction.atomic():
            return act()
    except (InvalidInput, InvalidCursor):
        raise
    except DomainError as refusal:
        answer: Answer = {"ok": False, "error": f"{refusal.code}: {refusal.words}"}
        return answer | ({"taskId": task_id} if task_id else {})


def _works_private_row(turn: Turn) -> bool:
    task = turn.about.get("task")
    ticket = read_ticket(task.ticket) if isinstance(task, TaskDelivery) else None
    return ticket is not None and Board.objects.filter(pk=ticket.board, session__isnull=False).exists()


def _park(turn: Turn, value: Question) -> Answer:
    """Set the turn's own row aside with the question; what the turn says afterwards is not kept of it."""
    task: TaskDelivery = turn.about["task"]
    ticket = read_ticket(task.ticket)
    assert ticket is not None  # else it is not offered
    with turn.work.step() as call:
        board = Board.objects.get(pk=ticket.board)
        by = hand_of(call.session, turn.seat)
        return _answered(lambda: _parked(board, by, task, value.question), task.task_id)


def _parked(board: Board, by: Any, task: TaskDelivery, question: str) -> Answer:
    park_task(board=board, task_id=task.task_id, by=by, question=question, ticket=task.ticket)
    return {"ok": True, "taskId": task.task_id, "status": "parked"}
