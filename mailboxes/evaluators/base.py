"""What an evaluator is asked and what it answers. See docs/routing.md, "Evaluators"."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from workforce.evaluating import Question, Verdict

__all__ = ["Evaluator", "Question", "Scorer", "Verdict", "best_of"]

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
