"""The model that needs no network and no key: it quotes. Imports the agent library: only from where a turn runs."""

from __future__ import annotations

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from workforce.turns.models import OFFLINE, Sources
from workforce.turns.passages import best_passage, passages_of

NOTHING_FOUND = "I found nothing in my instructions and documents that answers this."


def offline_model(sources: Sources) -> FunctionModel:
    """A model that answers with the passage of the sources that fits the question best, or says that none does."""
    text = quote(sources)

    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        # No tokens are used, which an estimate would claim.
        return ModelResponse(parts=[TextPart(text)], usage=RequestUsage(unmeasured_requests=1))

    return FunctionModel(answer, model_name=OFFLINE)


def quote(sources: Sources) -> str:
    """The answer: a passage word for word with where it is from, or that there is none."""
    found = best_passage(sources.question, passages_of(sources.read()))
    if found is None or not found.enough:
        return NOTHING_FOUND
    return f"{found.passage.text}\n\n(from {found.passage.source})"
