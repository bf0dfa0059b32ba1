"""The boards that a worker's settings may name. They are an upper app's, which tells of them here."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workforce.models import Organization

Reader = Callable[["Organization"], Collection[str]]


@dataclass(frozen=True, slots=True)
class BoardFacts:
    """How to read the ids of an organization's live boards, and the tools that each board offers."""

    read: Reader
    tools: tuple[str, ...]


_NONE = BoardFacts(read=lambda organization: (), tools=())
_FACTS = [_NONE]


def register_boards(*, read: Reader, tools: Collection[str]) -> None:
    """Say how the live boards of an organization are read. Called from ``AppConfig.ready()``; the last one counts."""
    _FACTS[0] = BoardFacts(read, tuple(tools))


def board_facts() -> BoardFacts:
    """What was registered; no boards at all without it."""
    return _FACTS[0]
