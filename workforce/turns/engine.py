"""One exchange with a model, by the agent library. Imported only when a turn runs. See docs/turns.md."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from asgiref.sync import async_to_sync
from httpx2 import AsyncClient
from pydantic_ai import Agent
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.messages import ModelMessage, ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.usage import UsageLimits

from workforce.turns.calling import CalledModel, Tokens
from workforce.turns.endpoints import new_client
from workforce.turns.errors import TurnTooLong
from workforce.turns.faults import fault_of
from workforce.turns.limits import Limits
from workforce.turns.models import Sources, build_model, model_name
from workforce.turns.offering import MENDS, OfferedTools
from workforce.turns.toolcalls import ToolCalls


@dataclass(slots=True)
class Exchange:
    """What a model is asked, and what it may do."""

    model: str | None
    instructions: list[str]
    prompt: str
    limits: Limits
    history: Sequence[ModelMessage] = ()
    sources: Sources | None = None
    calls: ToolCalls | None = None
    check: Callable[[], None] = lambda: None
    tokens: Tokens = field(default_factory=Tokens)


def converse(exchange: Exchange) -> str:
    """The model's last text. The calling thread runs the tools and reaches the database meanwhile.

    Raises a refusal for whatever goes wrong with the model, and passes on what a tool or a check raises.
    """
    client = new_client(exchange.limits.seconds)
    model = build_model(exchange.model, sources=exchange.sources, client=client)
    return async_to_sync(_converse)(exchange, model, client)


async def _converse(exchange: Exchange, model: Model, client: AsyncClient) -> str:
    limits = exchange.limits
    async with client:
        called = CalledModel(
            model,
            calls=limits.model_calls,
            seconds=limits.seconds,
            tokens=exchange.tokens,
            check=exchange.check,
        )
        try:
            async with asyncio.timeout(limits.seconds) as clock:
                return await _run(exchange, called)
        except TimeoutError:
            if not clock.expired():
                raise
            raise TurnTooLong(
                f"the turn took longer than {limits.seconds:g} seconds (TURN_SECONDS) and was ended"
            ) from None
        except (AgentRunError, UserError) as error:
            raise fault_of(error, model_name(exchange.model)) from None


async def _run(exchange: Exchange, called: CalledModel) -> str:
    calls = exchange.calls
    if calls is not None:
        called.heard = _tell_of_unknown(calls)
    agent: Agent[None, str] = Agent(
        called,
        instructions=exchange.instructions,
        toolsets=[OfferedTools(calls)] if calls is not None else (),
        retries={"tools": MENDS, "output": 0},
        deps_type=type(None),
    )
    # The turn counts for itself: the library's own limits count fewer of its calls.
    limits = UsageLimits(request_limit=None)
    result = await agent.run(exchange.prompt, message_history=list(exchange.history), usage_limits=limits)
    return result.output


def _tell_of_unknown(calls: ToolCalls) -> Callable[[ToolCallPart], None]:
    def tell(part: ToolCallPart) -> None:
        if part.tool_name not in calls.tools:
            calls.refuse_unknown(part.tool_name, part.args)

    return tell
