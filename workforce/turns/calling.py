"""Calling a model within its turn's limits. Imports the agent library: only from where a turn runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import structlog
from asgiref.sync import sync_to_async
from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelConnectionError,
    ModelRateLimitError,
    ModelUnavailableError,
)
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from workforce.texts import is_blank
from workforce.turns.errors import EmptyAnswer, TurnLimitReached
from workforce.turns.fences import clean

log = structlog.get_logger(__name__)

#: What passes by itself: rate limits, an endpoint that is overloaded, and the network.
PASSING = (ModelRateLimitError, ModelUnavailableError, ModelConnectionError)
#: Seconds before each further try, unless the endpoint says how long.
BACK_OFF = (0.5, 1.0, 2.0, 4.0, 8.0)
#: What the columns of a request hold.
MOST_TOKENS = 2**31 - 1


@dataclass(slots=True)
class Tokens:
    """What the calls of a turn used, also when it fails."""

    input: int = 0
    output: int = 0

    def count(self, input: int | None, output: int | None) -> None:
        """Add what a call says it used, whatever number an endpoint sends."""
        self.input = min(self.input + max(input or 0, 0), MOST_TOKENS)
        self.output = min(self.output + max(output or 0, 0), MOST_TOKENS)


class CalledModel(WrapperModel):
    """A model that is called as its turn allows: counted, checked before each call, tried again when that helps."""

    def __init__(
        self, wrapped: Model, *, calls: int, seconds: float, tokens: Tokens, check: Callable[[], None]
    ) -> None:
        super().__init__(wrapped)
        self._left = self._calls = calls
        self._ends = asyncio.get_running_loop().time() + seconds
        self._tokens, self._check = tokens, check
        #: Told of each call of a tool, before the library looks at it.
        self.heard: Callable[[ToolCallPart], None] = lambda call: None

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        if not self._left:
            raise TurnLimitReached(
                f"the turn called its model more than {self._calls} times (TURN_MODEL_CALLS)"
            )
        self._left -= 1
        await sync_to_async(self._check, thread_sensitive=True)()
        response = await self._patiently(messages, model_settings, model_request_parameters)
        self._tokens.count(response.usage.input_tokens, response.usage.output_tokens)
        calls = [part for part in response.parts if isinstance(part, ToolCallPart)]
        for call in calls:
            await sync_to_async(self.heard, thread_sensitive=True)(call)
        texts = [part.content for part in response.parts if isinstance(part, TextPart)]
        if not calls and is_blank(clean("".join(texts))):
            raise EmptyAnswer
        return response

    async def _patiently(self, *request: Any) -> ModelResponse:
        """The model's response; what passes by itself is tried again, as long as the turn's time allows."""
        for pause in (*BACK_OFF, None):
            try:
                return await super().request(*request)
            except PASSING as error:
                wait = _wait(error, pause)
                if wait is None or asyncio.get_running_loop().time() + wait >= self._ends:
                    raise
                log.warning("model_called_again", model=self.model_name, reason=_reason(error), seconds=wait)
                await asyncio.sleep(wait)
        raise AssertionError("the last try returns or raises")


def _wait(error: ModelAPIError, pause: float | None) -> float | None:
    if pause is None:
        return None
    return pause if error.retry_after is None else max(error.retry_after, pause)


def _reason(error: ModelAPIError) -> str:
    return str(getattr(error, "status_code", None) or "network")
