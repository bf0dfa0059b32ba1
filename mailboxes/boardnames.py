"""Names of the boards that a mailbox holds. See docs/mailboxes.md."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from workforce.refusals import quoted
from workforce.toolnames import check_tool_name_length, longest_tool, tool_suffix
from workforce.tree.records import Record

BOARD_NAME_LIMIT = 64

_FORBIDDEN = "./*[]"
_RESERVED = frozenset({"__proto__", "prototype", "constructor"})
_UNPRINTED = frozenset({"Cc", "Cs"})


def check_board_name(name: str) -> str | None:
    """What is wrong with a board's name, in words that end with the mend; None when it is sound."""
    if not name:
        return "a board name is empty; write a name such as 'triage'"
    if any(letter.isspace() for letter in name):
        return f"the board name {quoted(name)} has white space in it; use a hyphen"
    forbidden = [letter for letter in _FORBIDDEN if letter in name]
    if forbidden:
        marks = ", ".join(f"'{letter}'" for letter in forbidden)
        return f"the board name {quoted(name)} has {marks} in it; none of . / * [ ] may be"
    if name in _RESERVED:
        return f"the board name {quoted(name)} is reserved; choose another"
    if len(name) > BOARD_NAME_LIMIT:
        return f"the board name {quoted(name)} has {len(name)} characters; at most {BOARD_NAME_LIMIT} may be"
    if any(unicodedata.category(letter) in _UNPRINTED for letter in name):
        return f"the board name {quoted(name)} has a control character in it; take it out"
    return None


def board_id(mailbox_id: str, name: str) -> str:
    """The id of a board that a mailbox holds."""
    return f"{mailbox_id}.{name}"


def board_suffix(board: str) -> str:
    """What a board's tools end with as actions: its id with all but ``A-Z a-z 0-9 _ -`` turned into ``_``."""
    return tool_suffix(board)


def check_board_tools(board: str, tool_names: Sequence[str]) -> str | None:
    """What is wrong when the longest of the tools has too long a name with the board's suffix; else None."""
    return check_tool_name_length(longest_tool(tool_names), board)


def declared_board_ids(records: Iterable[Record]) -> list[str]:
    """The ids of the boards that the mailboxes of a tree declare, sorted, each once; bad names are left out.

    What the workers of the same tree may name under ``drains`` and ``boardTools``.
    """
    found: set[str] = set()
    for record in records:
        boards = record.declared.get("boards")
        if "mintFor" in record.declared or not isinstance(boards, list):
            continue
        sound = [name for name in boards if isinstance(name, str) and check_board_name(name) is None]
        found.update(board_id(record.id, name) for name in sound)
    return sorted(found)
