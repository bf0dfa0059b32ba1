"""The eight tools of a board for a worker's turn: there by ``boardTools``, and by nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from boards.drains.leases import hand_of
from boards.models import Board
from boards.toolnames import BOARD_TOOLS
from boards.tools.inputs import INPUTS
from boards.tools.running import run_tool
from workforce.kinds.tasks import TaskDelivery
from workforce.toolnames import tool_name
from workforce.toolsets import Tool, Turn

#: What changes nothing needs no step of the run.
_READS = frozenset({"listTasks"})


def offer_board_tools(turn: Turn) -> Iterator[Tool]:
    """The tools of every live board that the worker's file lists under ``boardTools``."""
    named = getattr(turn.settings, "board_tools", None) or ()
    boards = Board.objects.filter(
        organization=turn.session.organization_id, board_id__in=list(named), live=True, session=None
    )
    for board in boards.order_by("board_id"):
        for tool in BOARD_TOOLS:
            yield Tool(
                name=tool_name(tool, board.board_id),
                description=f"{INPUTS[tool].__doc__} The board: {board.board_id}.",
                input=INPUTS[tool],
                run=partial(_run, tool, board),
            )


def _run(tool: str, board: Board, turn: Turn, value: Any) -> dict[str, Any]:
    """Run the tool as the seat. On a task turn it presents the turn's ticket."""
    by = hand_of(turn.session, turn.seat)
    if tool in _READS:
        return run_tool(tool=tool, board=board, by=by, value=value)
    task = turn.about.get("task")
    ticket = task.ticket if isinstance(task, TaskDelivery) else None
    files = tool == "addTask"
    with turn.work.step():
        answer = run_tool(
            tool=tool,
            board=board,
            by=by,
            value=value,
            ticket=ticket,
            origin_key=turn.next_key("task") if files else None,
            chain_uid=turn.request.chain_uid,
        )
    if files and answer["ok"]:
        turn.key("task")  # what is refused has no number, for the turn may not make the same mistake again
    return answer
