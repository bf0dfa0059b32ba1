"""Calling the tools of one turn for its model. See docs/turns.md, "Tools"."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from workforce.errors import DomainError, InvalidInput
from workforce.inputs import validate_input
from workforce.toolsets import Tool, Turn
from workforce.turns.errors import TurnLimitReached
from workforce.turns.fences import Fence, cut
from workforce.turns.keeping import KeptCalls, is_keepable
from workforce.turns.limits import SHOWN_OUTPUT

#: Under this key the arguments of a call arrive that are no JSON object, as the model wrote them.
UNREADABLE = "\x00unreadable"


class ToolCalls:
    """What a turn's model calls, one after the other, on the worker's own thread."""

    def __init__(self, turn: Turn, tools: Sequence[Tool], fence: Fence, limit: int) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self._turn, self._fence, self._limit = turn, fence, limit
        self._kept = KeptCalls(turn.work)
        self._made = 0

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Run one tool and return what the model is shown: its output, or the refusal, marked as data.

        The call is kept as an item. Raises TurnLimitReached, RunLost and RunAborted; a defect passes through.
        """
        self._count()
        self._turn.work.check()
        shown: Any = dict(arguments)
        try:
            if UNREADABLE in arguments:
                shown = arguments[UNREADABLE]
                raise InvalidInput("the arguments are not a JSON object")
            tool = self.tools[name]
            output = tool.run(self._turn, validate_input(tool.input, shown))
        except DomainError as refusal:
            output = {"ok": False, "error": f"{refusal.code}: {refusal.words}"}
        self._kept.keep(name, shown, output)
        return self.show(output)

    def show(self, output: Any) -> str:
        """A tool's output as the model reads it."""
        return self._fence.wrap(cut(json.dumps(output, ensure_ascii=False, allow_nan=False), SHOWN_OUTPUT))

    def refuse_unknown(self, name: str, arguments: Any) -> None:
        """Keep a call of a tool that is not offered; the library tells the model which ones are."""
        self._count()
        known = ", ".join(sorted(self.tools)) or "none"
        error = f"unknown-tool: there is no tool '{name[:100]}'; offered: {known}"
        shown = arguments if is_keepable(arguments) else None
        self._kept.keep(name[:100], shown, {"ok": False, "error": error})

    def _count(self) -> None:
        self._made += 1
        if self._made > self._limit:
            raise TurnLimitReached(
                f"the turn called its tools more than {self._limit} times (TURN_TOOL_CALLS)"
            )
