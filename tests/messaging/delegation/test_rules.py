"""Who a post goes to: the rules, cell by cell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messaging.delegation.modes import By, Decision, Fit, decide_fit, next_in_turn

BOTH = ("a", "b")


@pytest.mark.parametrize(
    ("fit", "floor", "fallback", "reachable", "by", "workers"),
    [
        (Fit("a", score=0.4), None, None, BOTH, By.EVALUATED, ("a",)),
        (Fit("a"), None, None, BOTH, By.EVALUATED, ("a",)),
        (Fit("a", score=0.5), 0.5, None, BOTH, By.EVALUATED, ("a",)),
        (Fit("a", score=0.49), 0.5, None, BOTH, By.OWN, ()),
        (Fit("a", score=0.49), 0.5, "b", BOTH, By.FALLBACK, ("b",)),
        (Fit("a"), 0.0, "b", BOTH, By.FALLBACK, ("b",)),
        (Fit("a", score=0.0), 0.0, "b", BOTH, By.EVALUATED, ("a",)),
        (Fit("z", score=0.9), None, "b", BOTH, By.FALLBACK, ("b",)),
        (Fit("z", score=0.9), None, None, BOTH, By.OWN, ()),
        (Fit(None, "none fits"), None, "b", BOTH, By.FALLBACK, ("b",)),
        (Fit(None, "none fits"), None, "b", ("a",), By.OWN, ()),
        (Fit(None, "none fits"), None, None, (), By.OWN, ()),
    ],
)
def test_decide_fit__is(
    fit: Fit,
    floor: float | None,
    fallback: str | None,
    reachable: tuple[str, ...],
    by: By,
    workers: tuple[str, ...],
) -> None:
    decision = decide_fit(
        fit=fit, choices=reachable, min_confidence=floor, fallback=fallback, reachable=reachable
    )
    assert (decision.by, decision.workers) == (by, workers)
    assert bool(decision.reason) is (by is not By.EVALUATED)
    assert isinstance(decision, Decision)


@pytest.mark.parametrize(
    ("delegates", "last", "place", "reachable", "found"),
    [
        ("abc", "", 0, "abc", ("a", 0)),
        ("abc", "a", 0, "abc", ("b", 1)),
        ("abc", "c", 2, "abc", ("a", 0)),
        ("abc", "a", 0, "ac", ("c", 2)),
        ("abc", "a", 0, "a", ("a", 0)),
        ("abc", "a", 0, "", None),
        ("", "", 0, "", None),
        ("acd", "b", 1, "acd", ("c", 1)),  # b left the list: who stands there now is next
        ("ab", "c", 2, "ab", ("a", 0)),
        ("xabc", "a", 0, "xabc", ("b", 2)),
        ("cba", "a", 0, "abc", ("c", 0)),
    ],
)
def test_next_in_turn__is(
    delegates: str, last: str, place: int, reachable: str, found: tuple[str, int] | None
) -> None:
    assert next_in_turn(list(delegates), last=last, place=place, reachable=set(reachable)) == found


@given(st.lists(st.integers(), unique=True, min_size=1, max_size=25), st.integers(1, 80))
def test_next_in_turn__gives_everybody_the_same_number_of_turns(numbers: list[int], turns: int) -> None:
    delegates = [str(number) for number in numbers]
    last, place, got = "", 0, dict.fromkeys(delegates, 0)
    for _ in range(turns):
        found = next_in_turn(delegates, last=last, place=place, reachable=delegates)
        assert found is not None
        last, place = found
        got[last] += 1
    assert max(got.values()) - min(got.values()) <= 1
