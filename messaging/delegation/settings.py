"""The keys that a ``WORKER.md`` of the kind ``coordinator`` may carry. See docs/delegation.md."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from messaging.delegation.modes import MAX_ROUNDS, Routing
from workforce.kinds.agent_settings import TurnSettings

#: Read leniently: a file has the word.
RoutingWord = Literal["judgment", "best-fit", "round-robin", "everyone"]


class CoordinatorSettings(TurnSettings):
    """A coordinator's settings: what every turn takes, and how posts reach the delegates.

    That ``fallback`` is one of the delegates is judged when the roster is bound.
    """

    routing: RoutingWord = "judgment"
    fallback: str | None = None
    min_confidence: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None = None
    rounds: int = Field(default=0, ge=0, le=MAX_ROUNDS)

    @field_validator("min_confidence")
    @classmethod
    def _check_best_fit(cls, value: float | None, info: ValidationInfo) -> float | None:
        # A routing that was refused itself is not judged a second time.
        if "routing" in info.data and info.data["routing"] != Routing.BEST_FIT:
            raise PydanticCustomError(
                "only_best_fit", "is for 'routing: best-fit' only; drop it, or change the routing"
            )
        return value

    @property
    def mode(self) -> Routing:
        """How it decides."""
        return Routing(self.routing)
