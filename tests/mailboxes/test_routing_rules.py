"""The table of the routing rules."""

from __future__ import annotations

import pytest

from mailboxes.routing import HOLDING, By, Decision, Judged, LastPost, decide, find_holder

LAST = LastPost("p1", By.EVALUATED, "a.one")
REACHABLE = ["a.one", "a.two", "a.own"]
#: a.own is a user's own hire: reached, and never judged.
CHOICES = ["a.one", "a.two"]
TWO = Judged("a.two", score=0.4)
NONE = Judged(None, "nothing fits", 0.05)


def placed(last: LastPost | None, judged: Judged, *, fallback: str = "a.own", **given: list[str]) -> Decision:
    return decide(
        last=last,
        judged=judged,
        choices=given.get("choices", CHOICES),
        fallback=fallback,
        reachable=given.get("reachable", REACHABLE),
    )


@pytest.mark.parametrize("by", [None, *By])
def test_hold__only_after_evaluated_and_fallback(by: By | None) -> None:
    last = LastPost("p1", by, "a.one" if by else "")
    assert find_holder(last, REACHABLE) == ("a.one" if by in {By.EVALUATED, By.FALLBACK} else None)
    assert {By.EVALUATED, By.FALLBACK} == HOLDING


@pytest.mark.parametrize(
    ("last", "reachable", "holder"),
    [
        (None, REACHABLE, None),
        (LAST, REACHABLE, "a.one"),
        (LAST, ["a.two"], None),
        (LastPost("p1", By.EVALUATED, "a.one", frozenset({"a.one"})), REACHABLE, None),
        (LastPost("p1", By.EVALUATED, "a.one", frozenset({"a.two"})), REACHABLE, "a.one"),
        (LastPost("p1", By.FALLBACK, "a.own"), REACHABLE, "a.own"),
    ],
)
def test_hold__until_the_member_spoke_or_left(
    last: LastPost | None, reachable: list[str], holder: str | None
) -> None:
    assert find_holder(last, reachable) == holder


def test_decide__a_hold_goes_before_the_evaluation() -> None:
    assert placed(LAST, TWO) == Decision(By.HELD, "a.one")


@pytest.mark.parametrize("last", [None, LastPost("p1", By.HELD, "a.one"), LastPost("p1")])
def test_decide__the_evaluated_one_with_its_score(last: LastPost | None) -> None:
    assert placed(last, TWO) == Decision(By.EVALUATED, "a.two", score=0.4)


@pytest.mark.parametrize(
    ("judged", "words"),
    [
        (NONE, "nothing fits"),
        (Judged("a.own"), "'a.own'"),
        (Judged("somebody.else"), "none of the choices"),
        (Judged(""), "none of the choices"),
    ],
)
def test_decide__the_fallback_with_the_reason(judged: Judged, words: str) -> None:
    decision = placed(None, judged)
    assert (decision.by, decision.member, decision.score) == (By.FALLBACK, "a.own", judged.score)
    assert words in decision.reason


def test_decide__one_that_left_since_it_was_judged() -> None:
    decision = placed(None, TWO, choices=["a.one"], reachable=["a.one", "a.own"])
    assert (decision.by, decision.member) == (By.FALLBACK, "a.own")
    assert "'a.two'" in decision.reason


def test_decide__nobody_when_the_fallback_cannot_be_reached() -> None:
    decision = placed(None, NONE, fallback="a.gone")
    assert (decision.by, decision.member) == (By.FAILED, "")
    assert "nothing fits" in decision.reason
    assert "'a.gone'" in decision.reason
