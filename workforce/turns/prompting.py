"""What a model is told: instructions of the operators, and what people wrote as marked data. See docs/turns.md."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workforce.models import Seat
from workforce.turns.fences import Fence


def instructions_for(seat: Seat, charter: str, fence: Fence) -> list[str]:
    """The team's, the worker's own, what the turn is about, and the rule of the marks. Never a description."""
    texts = [seat.team_instructions, seat.instructions, charter]
    return [*(text for text in texts if text.strip()), fence.rule]


@dataclass(frozen=True, slots=True)
class Frame:
    """Somebody's text, and the server's own words before and after it."""

    text: str
    before: str = "Answer this:"
    after: str = ""


def prompt_for(frame: Frame, before: Sequence[Mapping[str, str]], fence: Fence) -> str:
    """The line that the turn answers, after the earlier lines that this turn is shown."""
    parts = []
    if before:
        parts += ["The lines before, oldest first, for context:", fence.wrap(lines_as_data(before))]
    parts += [frame.before, fence.wrap(frame.text), frame.after]
    return "\n".join(part for part in parts if part)


def lines_as_data(lines: Iterable[Mapping[str, str]]) -> str:
    """Lines of a conversation, one JSON object each: a line break in a text starts no line of another author."""
    return "\n".join(
        json.dumps({"from": line.get("from", ""), "text": line.get("text", "")}, ensure_ascii=False)
        for line in lines
    )
