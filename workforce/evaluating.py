"""Whose job is a line? Asked from any app, answered by the one that keeps evaluators. See docs/routing.md.

Filled from ``AppConfig.ready()``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from workforce.kinds.posts import SaidLine


@dataclass(frozen=True, slots=True)
class Question:
    """Whose job is this post? ``choices`` are the workers that may be answered, with their descriptions."""

    post: SaidLine
    #: The lines before the post, oldest first.
    recent: Sequence[SaidLine]
    choices: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One of the choices, or None with the reason; how sure, when the evaluator can say it."""

    member: str | None
    reason: str = ""
    score: float | None = None


#: Answers always: a failure of its own is a verdict for none. Slow, so never called inside a transaction.
Judge = Callable[[Question], Verdict]
_JUDGES: list[Judge] = []


def register_judge(judge: Judge) -> None:
    """Called once from ``AppConfig.ready()``; again replaces it."""
    _JUDGES[:] = [judge]


def judge_post(question: Question) -> Verdict:
    """What the evaluator of this process says; a verdict for none where there is no evaluator."""
    if not _JUDGES:
        return Verdict(None, "no evaluator is registered")
    return _JUDGES[0](question)
