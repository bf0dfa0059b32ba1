"""The built-in evaluators."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from mailboxes.evaluators import Question, Verdict, evaluate, offline
from mailboxes.evaluators.base import best_of
from workforce.errors import Unavailable

CHOICES = {
    "support.devices": "Helps with the floor robot: it is stuck, loses its dock, brushes, batteries, error codes.",
    "support.accounts": "Helps with signing in, a forgotten password, invoices, payment cards and refunds.",
}


def question(text: str, *recent: str, choices: dict[str, str] = CHOICES) -> Question:
    return Question(
        post={"from": "ada", "text": text},
        recent=[{"from": "ada", "text": line} for line in recent],
        choices=choices,
    )


@pytest.fixture(params=["vectors", "words"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With wordllama, and as if it was not installed."""
    if request.param == "words":
        monkeypatch.setattr(offline, "load_vectors", lambda: None)
    return str(request.param)


@pytest.mark.parametrize(
    ("text", "member"),
    [
        ("I forgot my password.", "support.accounts"),
        ("The robot lost its dock.", "support.devices"),
        ("Who painted the ceiling up there?", None),
        ("\N{GRINNING FACE}", None),
        ("...", None),
    ],
)
def test_offline__the_description_that_fits(either: str, text: str, member: str | None) -> None:
    verdict = evaluate(question(text))
    assert verdict.member == member, verdict
    assert verdict.score is not None
    assert 0 <= verdict.score <= 1.001
    assert bool(verdict.reason) == (member is None)


def test_offline__one_choice_is_no_reason_to_take_it(either: str) -> None:
    choices = {"support.accounts": CHOICES["support.accounts"]}
    assert evaluate(question("Is it going to rain?", choices=choices)).member is None


def test_offline__says_what_was_missing(either: str) -> None:
    verdict = evaluate(question("Who painted the ceiling up there?"))
    assert "no description fits" in verdict.reason
    assert str(verdict.score) in verdict.reason


def test_offline__what_was_said_before_helps() -> None:
    alone = offline.score_by_vectors(question("And then?"))
    after = offline.score_by_vectors(question("And then?", "My robot is stuck and the battery is empty."))
    assert after["support.devices"] > alone["support.devices"]


def test_best__at_the_threshold_is_enough() -> None:
    assert best_of({"a": 0.1, "b": 0.2}, 0.2) == Verdict("b", score=0.2)
    assert best_of({"a": 0.1, "b": 0.2}, 0.21).member is None


@pytest.fixture
def chooser(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[dict[str, Any]]:
    """Stands where turns ask a model: remembers what it was asked, and answers what its last entry says."""
    calls: list[dict[str, Any]] = []
    module = ModuleType("workforce.turns.choosing")

    def choose(**asked: Any) -> str | None:
        calls.append(asked)
        if settings.ROUTE_MODEL == "away":
            raise Unavailable("the endpoint is away")
        return settings.ROUTE_MODEL if settings.ROUTE_MODEL in asked["choices"] else None

    module.choose = choose  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    settings.ROUTE_EVALUATOR = "model"
    return calls


def test_model__a_closed_choice_with_the_post_last(chooser: list[dict[str, Any]], settings: Any) -> None:
    settings.ROUTE_MODEL = "support.devices"
    assert evaluate(question("It beeps.", "Hello.")) == Verdict("support.devices")
    (asked,) = chooser
    assert (asked["model"], asked["choices"]) == ("support.devices", CHOICES)
    assert asked["lines"] == [{"from": "ada", "text": "Hello."}, {"from": "ada", "text": "It beeps."}]


def test_model__none_and_failures_are_reasons(chooser: list[dict[str, Any]], settings: Any) -> None:
    settings.ROUTE_MODEL = ""
    assert "none of the members" in evaluate(question("It beeps.")).reason
    assert chooser[0]["model"] is None  # the one that workers have
    settings.ROUTE_MODEL = "away"
    verdict = evaluate(question("It beeps."))
    assert (verdict.member, "unavailable: the endpoint is away" in verdict.reason) == (None, True)
