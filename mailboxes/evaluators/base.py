"""What an evaluator is asked and what it answers. See docs/routing.md, "Evaluators"."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from workforce.kinds.posts import SaidLine


@dataclass(frozen=True, slots=True)
class Question:
    """Whose job is this post? ``choices`` are the members that may be answered, with their descriptions."""

    post: SaidLine
    #: The last twenty lines before the post, oldest first.
    recent: Sequence[SaidLine]
    choices: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One of the choices, or None with the reason; how sure, when the evaluator can say it."""

    member: str | None
    reason: str = ""
    score: float | None = None


#: Answers a verdict, or just the member or None. Whatever it raises counts as a failed evaluation.
Evaluator = Callable[[Question], Verdict | str | None]
#: How well the post fits each of the choices, from 0 to 1.
Scorer = Callable[[Question], Mapping[str, float]]


def best_of(scores: Mapping[str, float], threshold: float) -> Verdict:
    """The member with the highest score when that is at or above the threshold, else none of them."""
    member = max(scores, key=lambda name: scores[name])
    score = round(scores[member], 3)
    if score >= threshold:
        return Verdict(member, score=score)
    return Verdict(
        None, f"no description fits: the best is '{member}' with {score}, {threshold} is needed", score
    )
