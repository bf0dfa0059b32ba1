"""What the agent library raises, as refusals with words of our own. Imports it: only from where a turn runs.

None of the library's own words are kept: they can hold a prompt, or whatever an endpoint chose to say.
"""

from __future__ import annotations

from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelServerError,
    ModelUnavailableError,
    UserError,
)

from workforce.errors import DomainError
from workforce.turns.errors import (
    ModelAnswerUnreadable,
    ModelBusy,
    ModelFailed,
    ModelKeyRefused,
    ModelRefused,
    ModelUnreachable,
    UnknownModel,
)

#: The first that fits counts.
_FAULTS: list[tuple[type[Exception], type[DomainError], str]] = [
    (ModelNotFoundError, UnknownModel, "its endpoint knows no model of this name"),
    (ModelAuthenticationError, ModelKeyRefused, "its endpoint refused the key; mend WORKFORCE_MODEL_API_KEY"),
    (ModelQuotaExceededError, ModelRefused, "the quota of its account is used up"),
    (ModelContextWindowExceededError, ModelRefused, "the turn is longer than the model can read"),
    (ModelRateLimitError, ModelBusy, "its endpoint limits the rate of calls, and kept doing so"),
    (ModelUnavailableError, ModelBusy, "its endpoint is overloaded, and stayed so"),
    (
        ModelConnectionError,
        ModelUnreachable,
        "its endpoint cannot be reached; look at WORKFORCE_MODEL_BASE_URL",
    ),
    (ModelServerError, ModelFailed, "its endpoint failed"),
]


def fault_of(error: AgentRunError | UserError, model: str) -> DomainError:
    """The refusal that a library's error stands for, naming the model and what to look at."""
    status = error.status_code if isinstance(error, ModelHTTPError) else None
    for type, refusal, words in _FAULTS:
        if isinstance(error, type):
            return refusal(_words(model, words, status))
    if isinstance(error, ModelHTTPError):
        if error.status_code >= 500:
            return ModelFailed(_words(model, "its endpoint failed", status))
        return ModelRefused(_words(model, "its endpoint refused the call", status))
    if isinstance(error, ModelAPIError) and _is_network(error):
        return ModelUnreachable(_words(model, _FAULTS[6][2], None))
    return ModelAnswerUnreadable(
        _words(model, "its endpoint's answer cannot be read as one of a model", None)
    )


def _is_network(error: BaseException) -> bool:
    from httpx2 import TransportError

    cause = error.__cause__
    return cause is not None and (isinstance(cause, TransportError) or _is_network(cause))


def _words(model: str, words: str, status: int | None) -> str:
    return f"the model '{model}': {words}" + (f" (status {status})" if status else "")
