"""Names of tools that are offered once per board. See docs/mailboxes.md and docs/boards.md."""

from __future__ import annotations

import re
from collections.abc import Collection

#: Model interfaces take no longer name for a tool.
TOOL_NAME_LIMIT = 64

_OUTSIDE = re.compile(r"[^A-Za-z0-9_-]")


def tool_suffix(board_id: str) -> str:
    """The board id with every character outside ``A-Z a-z 0-9 _ -`` turned into ``_``."""
    return _OUTSIDE.sub("_", board_id)


def tool_name(tool: str, board_id: str) -> str:
    """The name under which a board's tool is offered: ``<tool>_<suffix>``."""
    return f"{tool}_{tool_suffix(board_id)}"


def longest_tool(tool_names: Collection[str]) -> str:
    """The longest of the names; the empty string when there is none."""
    return max(tool_names, key=len, default="")


def check_tool_name_length(longest: str, board_id: str) -> str | None:
    """What is wrong when a board's longest tool has too long a name; None when it fits."""
    name = tool_name(longest, board_id)
    if not longest or len(name) <= TOOL_NAME_LIMIT:
        return None
    return (
        f"the tool '{name}' has a name of {len(name)} characters, and model interfaces take at most "
        f"{TOOL_NAME_LIMIT}; shorten the name of the board, of the mailbox or of the team"
    )
