"""Models behind an endpoint. Imports the agent library: only from where a turn runs."""

from __future__ import annotations

from functools import cache
from ssl import SSLContext
from typing import Any

import structlog
from django.conf import settings
from httpx2 import AsyncClient, Timeout, create_ssl_context
from pydantic_ai.exceptions import AgentRunError, UserError
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import Model
from pydantic_ai.models.wrapper import WrapperModel

from workforce.turns.errors import ModelAnswerUnreadable, ModelNotConfigured
from workforce.turns.models import OPENAI_URL

log = structlog.get_logger(__name__)

CONNECT_SECONDS = 10


class Endpoint(WrapperModel):
    """A model behind an endpoint. What its library trips over when it reads an answer is a fault of the answer."""

    async def request(self, *request: Any) -> ModelResponse:
        try:
            return await super().request(*request)
        except (AgentRunError, UserError):  # its words for what went wrong, not a fault of its own
            raise
        except (LookupError, TypeError, AttributeError, ValueError, RuntimeError) as error:
            log.warning("model_answer_unreadable", model=self.model_name, error=type(error).__name__)
            raise ModelAnswerUnreadable(
                f"the model '{self.model_name}': its endpoint's answer cannot be read as one of a model"
            ) from None


def new_client(seconds: float) -> AsyncClient:
    """A client of its own for one turn, which closes it: a shared one would stay bound to a loop that has ended."""
    return AsyncClient(timeout=Timeout(seconds, connect=CONNECT_SECONDS), verify=_trusted())


@cache
def _trusted() -> SSLContext:
    """The authorities that are trusted, read once: for each turn that would take longer than all else of it."""
    return create_ssl_context()


def openai_model(name: str, client: AsyncClient | None) -> Model:
    """A model at OpenAI, or at the compatible endpoint of ``WORKFORCE_MODEL_BASE_URL``, which may need no key."""
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    url = settings.WORKFORCE_MODEL_BASE_URL
    key = settings.WORKFORCE_MODEL_API_KEY or ("none" if url else "")
    if not key:
        raise _no_key(f"openai:{name}", "or WORKFORCE_MODEL_BASE_URL for an endpoint that needs none")
    # Explicit, with no retries of its own: the turn decides what is tried again.
    sdk = AsyncOpenAI(api_key=key, base_url=url or OPENAI_URL, max_retries=0, http_client=client)
    return Endpoint(OpenAIChatModel(name, provider=OpenAIProvider(openai_client=sdk)))


def anthropic_model(name: str, client: AsyncClient | None) -> Model:
    """A model at Anthropic, or at the endpoint of ``WORKFORCE_MODEL_BASE_URL`` that speaks its protocol."""
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    key = settings.WORKFORCE_MODEL_API_KEY
    if not key:
        raise _no_key(f"anthropic:{name}")
    url = settings.WORKFORCE_MODEL_BASE_URL or "https://api.anthropic.com"
    sdk = AsyncAnthropic(api_key=key, base_url=url, max_retries=0, http_client=client)
    return Endpoint(AnthropicModel(name, provider=AnthropicProvider(anthropic_client=sdk)))


def _no_key(name: str, more: str = "") -> ModelNotConfigured:
    return ModelNotConfigured(
        " ".join(f"the model '{name}' has no key: set WORKFORCE_MODEL_API_KEY (or …_FILE) {more}".split())
    )
