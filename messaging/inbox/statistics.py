"""What is said of many numbers at once. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True, slots=True)
class Spread:
    """How many values there are, and where they lie; nothing is said of where none are."""

    count: int = 0
    p50: int | None = None
    p95: int | None = None
    largest: int | None = None
    total: int = 0

    @classmethod
    def of(cls, values: Iterable[int]) -> Spread:
        """The spread of the values. A percentile is one of them: the smallest that so many do not exceed."""
        ordered = sorted(values)
        if not ordered:
            return cls()
        return cls(len(ordered), rank(ordered, 50), rank(ordered, 95), ordered[-1], sum(ordered))


def rank(ordered: Sequence[int], percent: int) -> int:
    """The nearest-rank percentile of values in order, of which there is at least one."""
    return ordered[max(1, ceil(len(ordered) * percent / 100)) - 1]


def counts_up_to(values: Iterable[int], edges: Sequence[int]) -> list[int]:
    """How many values there are up to each edge and above the one before; the last count is of those above all."""
    counts = [0] * (len(edges) + 1)
    for value in values:
        counts[next((place for place, edge in enumerate(edges) if value <= edge), len(edges))] += 1
    return counts


def share(part: int, whole: int) -> float | None:
    """The part of the whole; None of nothing."""
    return round(part / whole, 4) if whole else None
