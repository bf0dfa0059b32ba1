"""How much one turn may do, from the settings."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings

#: The longest answer: what a mailbox takes as a post.
LONGEST_ANSWER = 65_536
#: What a model is shown of one tool's output, and what an item keeps of it.
SHOWN_OUTPUT = 65_536
KEPT_OUTPUT = 16_384


@dataclass(frozen=True, slots=True)
class Limits:
    """The caps of one turn."""

    model_calls: int
    tool_calls: int
    seconds: float


def turn_limits() -> Limits:
    """The caps that this process was started with."""
    return Limits(settings.TURN_MODEL_CALLS, settings.TURN_TOOL_CALLS, settings.TURN_SECONDS)
