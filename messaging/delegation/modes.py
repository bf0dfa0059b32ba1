"""Which delegates a post goes to: the rules, without a database or a clock. See docs/delegation.md."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

MAX_DELEGATES = 25
MAX_ROUNDS = 3
#: What a delegate is shown of the conversation before a post.
RECENT_LINES, RECENT_CHARACTERS = 10, 4_000


class Routing(StrEnum):
    """How a coordinator decides."""

    JUDGMENT = "judgment"
    BEST_FIT = "best-fit"
    ROUND_ROBIN = "round-robin"
    EVERYONE = "everyone"


#: Those that take turns of their own.
THINKING = frozenset({Routing.JUDGMENT, Routing.BEST_FIT})


class By(StrEnum):
    """What decided on one post."""

    JUDGED = "judged"
    HELD = "held"
    EVALUATED = "evaluated"
    FALLBACK = "fallback"
    OWN = "own"
    TURN = "turn"
    EVERYONE = "everyone"
    FAILED = "failed"


#: A post placed in one of these ways holds the next one for its delegate.
HOLDING = frozenset({By.EVALUATED, By.FALLBACK})


@dataclass(frozen=True, slots=True)
class Fit:
    """What the one evaluation came to; no worker with the reason."""

    worker: str | None
    reason: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Where one post goes. No workers when the coordinator takes it itself, or nobody does."""

    by: By
    workers: tuple[str, ...] = ()
    reason: str = ""
    fit: float | None = None


def decide_fit(
    *,
    fit: Fit,
    choices: Collection[str],
    min_confidence: float | None,
    fallback: str | None,
    reachable: Collection[str],
) -> Decision:
    """The picked delegate when it is sure enough, else the fallback, else the coordinator itself.

    ``choices`` could be picked; a pick without a score is below every ``min_confidence``.
    """
    if fit.worker is not None and fit.worker in choices:
        if min_confidence is None or (fit.score is not None and fit.score >= min_confidence):
            return Decision(By.EVALUATED, (fit.worker,), fit=fit.score)
        sure = "no score" if fit.score is None else f"a score of {fit.score}"
        reason = f"'{fit.worker}' was picked with {sure}; minConfidence is {min_confidence}"
    else:
        reason = fit.reason or f"the evaluator answered '{fit.worker}', which is none of the choices"
    if fallback is not None and fallback in reachable:
        return Decision(By.FALLBACK, (fallback,), reason, fit.score)
    return Decision(By.OWN, reason=reason, fit=fit.score)


def next_in_turn(
    delegates: Sequence[str], *, last: str, place: int, reachable: Collection[str]
) -> tuple[str, int] | None:
    """The next delegate after the last one that can be reached, and its place; None when none can.

    ``place`` is where the last one stood: when it left the list, whoever stands there now is next.
    """
    count = len(delegates)
    start = delegates.index(last) + 1 if last in delegates else min(place, count)
    for step in range(count):
        at = (start + step) % count
        if delegates[at] in reachable:
            return delegates[at], at
    return None
