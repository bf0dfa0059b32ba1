"""The tools of a board. See docs/boards.md."""

from __future__ import annotations

#: Offered per board as ``<tool>_<suffix>``: to seats by ``boardTools``, as actions by ``boardActions``.
BOARD_TOOLS = (
    "addTask",
    "assignTask",
    "updateTask",
    "listTasks",
    "completeTask",
    "failTask",
    "blockTask",
    "cancelTask",
)
