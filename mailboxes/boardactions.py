"""The actions of a mailbox that holds boards. See docs/mailboxes.md, "Boards"."""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from boards.models import Board
from boards.selectors.tasks import deps_of
from boards.shapes import model_shape
from boards.toolnames import BOARD_TOOLS
from boards.tools.inputs import INPUTS, Filing, ToolInput
from boards.tools.running import run_tool
from mailboxes.errors import BoardNotDeclared
from mailboxes.selectors.boards import access_held_board, held_boards
from mailboxes.selectors.declarations import check_open
from mailboxes.services.filing import file_in_mailbox, hand_of
from mailboxes.state import is_mailbox_state, is_marked_template
from workforce.kinds import Action, Call
from workforce.models import Session
from workforce.texts import Body
from workforce.toolnames import tool_suffix

#: The tools that change nothing.
_READING = frozenset({"listTasks"})


class FileTask(Filing):
    """A row to file on one of the mailbox's boards."""

    board: Body = Field(description="The name of a board that the mailbox holds.")


class ReadBoard(ToolInput):
    """Which board to read."""

    board: Body = Field(description="The name of a board that the mailbox holds.")


class FiledTask(TypedDict):
    """Where the row is."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]

    board: str
    boardId: str
    taskId: str
    status: str


class BoardRows(TypedDict):
    """A board with every row, as a model is shown them."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]

    board: str
    boardId: str
    tasks: list[dict[str, Any]]


def file_task(call: Call) -> dict[str, Any]:
    value: FileTask = call.input
    board, task = file_in_mailbox(call=call, board=value.board, author=value.author, new=value.new_task())
    return {"board": board.name, "boardId": board.board_id, "taskId": task.task_id, "status": task.status}


def read_board(call: Call) -> dict[str, Any]:
    check_open(call.session)
    board = access_held_board(call.session, call.input.board)
    rows = list(board.tasks.order_by("created_at", "pk"))
    deps = deps_of(rows)
    return {
        "board": board.name,
        "boardId": board.board_id,
        "tasks": [model_shape(row, deps[row.pk]) for row in rows],
    }


#: Declared by the kind, and there in the mailboxes that hold a board.
BOARD_ACTIONS = {
    "fileTask": Action(
        name="fileTask",
        input=FileTask,
        run=file_task,
        output=FiledTask,
        description="File a row on a board of the mailbox.",
    ),
    "readBoard": Action(
        name="readBoard",
        input=ReadBoard,
        run=read_board,
        reads=True,
        output=BoardRows,
        description="Every row of a board of the mailbox.",
    ),
}


def offers_boards(session: Session) -> bool:
    """Whether the session has the board actions: it holds a board, or it refuses them in words of its own."""
    return not _is_usable(session) or held_boards(session).exists()


def is_reading_tool(name: str) -> bool:
    """Whether the name is that of a board's tool which changes nothing."""
    return name.partition("_")[0] in _READING


def find_board_tool(session: Session, name: str) -> Action | None:
    """The tool of a board that this mailbox holds and opens to actions, by the name ``<tool>_<suffix>``.

    A tool of another mailbox's board is found too, and refuses to run here. None for every other name.
    """
    tool, _, suffix = name.partition("_")
    if tool not in BOARD_TOOLS or not suffix:
        return None
    if not _is_usable(session):
        return _action(tool, name, lambda call: check_open(call.session))
    for board in held_boards(session):
        if board.actions and tool_suffix(board.board_id) == suffix:
            return _action(tool, name, partial(_run_tool, tool, board))
    opened = Board.objects.filter(organization=session.organization_id, live=True, actions=True)
    for board_id in opened.values_list("board_id", flat=True):
        if tool_suffix(board_id) == suffix:
            return _action(tool, name, partial(_refuse, board_id))
    return None


def _action(tool: str, name: str, run: Any) -> Action:
    return Action(
        name=name, input=INPUTS[tool], run=run, reads=tool in _READING, description=INPUTS[tool].__doc__ or ""
    )


def _run_tool(tool: str, board: Board, call: Call) -> dict[str, Any]:
    return run_tool(
        tool=tool, board=board, by=hand_of(call), value=call.input, chain_uid=call.request.chain_uid
    )


def _refuse(board_id: str, call: Call) -> None:
    held = list(held_boards(call.session).values_list("name", flat=True))
    raise BoardNotDeclared.of(board_id, call.session.address, held)


def _is_usable(session: Session) -> bool:
    return is_mailbox_state(session.state) and not is_marked_template(session.state)
