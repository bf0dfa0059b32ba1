"""Telling a conversation how the rows of its own board ended: asked of the app that keeps conversations' boards."""

from __future__ import annotations

from collections.abc import Callable

from boards.hands import Hand
from boards.models import Board, Task

#: Owes the conversation of the board what it is to hear of a change of this kind, in the transaction of the change.
Announcer = Callable[[Board, Task, str, Hand], None]
_ANNOUNCERS: list[Announcer] = []


def register_announcer(announcer: Announcer) -> None:
    """Have changes announced. Called from ``AppConfig.ready()``; the same announcer again is no second one."""
    if announcer not in _ANNOUNCERS:
        _ANNOUNCERS.append(announcer)


def announce(board: Board, task: Task, kind: str, by: Hand) -> None:
    """Tell of one change of a row of a conversation's board, as the row stands now."""
    for announcer in _ANNOUNCERS:
        announcer(board, task, kind, by)
