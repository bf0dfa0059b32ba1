"""A turn of a seat as toolsets see it, and one way to call its tools."""

from __future__ import annotations

from typing import Any

from workforce.inputs import validate_input
from workforce.kinds.agent_settings import AgentSettings
from workforce.models import Request, Seat, Session
from workforce.toolsets import Turn, tools_for


def turn_of(seat: Seat) -> Turn:
    unused: Any = None
    return Turn(
        seat=seat,
        session=Session(seat=seat),
        request=Request(),
        work=unused,
        settings=AgentSettings.model_validate(seat.settings),
    )


def offered(seat: Seat) -> set[str]:
    """The names of the tools that a turn of the seat is offered, of those that only read."""
    return {tool.name for tool in tools_for(turn_of(seat))} & {"list-documents", "read-document", "discover"}


def call(seat: Seat, tool: str, **arguments: Any) -> Any:
    """What the tool answers in a turn of the seat."""
    turn = turn_of(seat)
    found = next(each for each in tools_for(turn) if each.name == tool)
    return found.run(turn, validate_input(found.input, arguments))
