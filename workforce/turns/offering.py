"""The tools of a turn as the agent library takes them. Imports it: only from where a turn runs."""

from __future__ import annotations

import json
from typing import Any

from asgiref.sync import sync_to_async
from pydantic_ai import RunContext
from pydantic_ai.tools import ToolDefinition
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool

from workforce.turns.keeping import is_keepable
from workforce.turns.toolcalls import UNREADABLE, ToolCalls

#: How often the library lets a model mend a call before it gives up; the turn's own caps come first.
MENDS = 10_000


class AnyArguments:
    """Takes whatever a model wrote as arguments; the tool's own model judges it, in our words."""

    def validate_json(self, input: str | bytes | bytearray, **_: Any) -> dict[str, Any]:
        try:
            return self.validate_python(json.loads(input))
        except (ValueError, RecursionError):
            return {UNREADABLE: str(input)}

    def validate_python(self, input: Any, **_: Any) -> dict[str, Any]:
        if not is_keepable(input):
            return {UNREADABLE: "arguments that are no JSON: NaN, infinities, or nested too deeply"}
        return input if isinstance(input, dict) else {UNREADABLE: input}


class OfferedTools(AbstractToolset[None]):
    """One turn's tools, called one after the other on the thread that the turn was started from."""

    def __init__(self, calls: ToolCalls) -> None:
        self._calls = calls

    @property
    def id(self) -> str | None:
        return None

    async def get_tools(self, ctx: RunContext[None]) -> dict[str, ToolsetTool[None]]:
        return {
            tool.name: ToolsetTool(
                toolset=self,
                tool_def=ToolDefinition(
                    name=tool.name,
                    description=tool.description,
                    parameters_json_schema=tool.input.model_json_schema(),
                    sequential=True,
                ),
                max_retries=MENDS,
                args_validator=AnyArguments(),
            )
            for tool in self._calls.tools.values()
        }

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[None], tool: ToolsetTool[None]
    ) -> str:
        return await sync_to_async(self._calls.call, thread_sensitive=True)(name, tool_args)
