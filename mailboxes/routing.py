"""Where a person's post in a routed mailbox goes: the rules, without a database or a clock. See docs/routing.md."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

#: How many lines before a post the evaluator and the routed member see.
RECENT_LINES = 20


class By(StrEnum):
    """What decided."""

    HELD = "held"
    EVALUATED = "evaluated"
    FALLBACK = "fallback"
    FAILED = "failed"


#: A post placed in one of these ways holds the next one for its member.
HOLDING = frozenset({By.EVALUATED, By.FALLBACK})


@dataclass(frozen=True, slots=True)
class Decision:
    """Where one post goes. No member when it goes to nobody."""

    by: By
    member: str = ""
    reason: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class LastPost:
    """The person's post before, where it went (``by`` is None while that is not recorded), and who spoke since."""

    post_id: str
    by: By | None = None
    member: str = ""
    spoke: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Judged:
    """What the one evaluation came to. Without choices nobody was asked, and the reason says so."""

    member: str | None
    reason: str = ""
    score: float | None = None


def find_holder(last: LastPost | None, reachable: Collection[str]) -> str | None:
    """The member that is on the conversation already and has not spoken since, if it can still be reached."""
    if last is None or last.by not in HOLDING or last.member in last.spoke:
        return None
    return last.member if last.member in reachable else None


def decide(
    *,
    last: LastPost | None,
    judged: Judged,
    choices: Collection[str],
    fallback: str,
    reachable: Collection[str],
) -> Decision:
    """Held, else evaluated, else the fallback, else nobody.

    ``reachable`` are the members with a seat that hears posts; ``choices`` those of them that may be evaluated.
    """
    holder = find_holder(last, reachable)
    if holder is not None:
        return Decision(By.HELD, holder)
    if judged.member is not None and judged.member in choices:
        return Decision(By.EVALUATED, judged.member, score=judged.score)
    reason = judged.reason or f"the evaluator answered '{judged.member}', which is none of the choices"
    if fallback in reachable:
        return Decision(By.FALLBACK, fallback, reason, judged.score)
    return Decision(
        By.FAILED,
        reason=f"{reason}; and the fallback '{fallback}' has no seat that hears posts",
        score=judged.score,
    )
