"""A turn of a seat as toolsets see it, and one way to call its tools."""

from __future__ import annotations

from typing import Any

from workforce.inputs import validate_input
from workforce.kinds.agent_settings import AgentSettings
from workforce.models import Request, Seat, Session
from workforce.tools.discovering import offer_discovery
from workforce.tools.documents import offer_documents
from workforce.toolsets import Tool, Turn


def turn_of(seat: Seat) -> Turn:
    unused: Any = None
    return Turn(
        seat=seat,
        session=Session(seat=seat),
        request=Request(),
        work=unused,
        settings=AgentSettings.model_validate(seat.settings),
    )


def tools_of(turn: Turn) -> list[Tool]:
    """What the two toolsets of reading offer; those of other apps ask for a stored session."""
    return [*offer_documents(turn), *offer_discovery(turn)]


def offered(seat: Seat) -> set[str]:
    """The names of the tools that a turn of the seat is offered."""
    return {tool.name for tool in tools_of(turn_of(seat))}


def call(seat: Seat, tool: str, **arguments: Any) -> Any:
    """What the tool answers in a turn of the seat."""
    turn = turn_of(seat)
    found = next(each for each in tools_of(turn) if each.name == tool)
    return found.run(turn, validate_input(found.input, arguments))
