"""The offline model on the tree that ships: it quotes, names where from, and says when it found nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Player
from tests.factories import make_user
from tests.mailboxes.loads import load
from tests.workforce.turns.conftest import Desk
from tests.workforce.turns.questions import QUESTIONS, UNSEEN, Question
from workforce.models import Document, Seat
from workforce.turns import similarity
from workforce.turns.models import Sources, Text
from workforce.turns.offline import NOTHING_FOUND, quote
from workforce.turns.passages import passages_of
from workforce.turns.running import own_texts

SAMPLE = Path(__file__).parents[3] / "workforce" / "sample"


@pytest.fixture
def sample(db: None) -> dict[str, list[Text]]:
    """What each worker of the sample tree may quote."""
    make_user("local")
    load(SAMPLE)
    return {seat.seat_id: own_texts(seat) for seat in Seat.objects.all()}


def right(sample: dict[str, list[Text]], questions: list[Question]) -> int:
    """How many are answered with the passage that answers them, or with nothing when there is none."""
    found = 0
    for who, asked, wanted in questions:
        answer = quote(Sources(asked, lambda who=who: sample[who]))  # type: ignore[misc]
        found += answer == NOTHING_FOUND if wanted is None else wanted in answer
    return found


def test_quote__answers_what_the_sample_s_workers_are_asked(sample: dict[str, list[Text]]) -> None:
    assert (right(sample, QUESTIONS), len(QUESTIONS)) >= (50, 52)
    assert (right(sample, UNSEEN), len(UNSEEN)) >= (20, 26)


def test_quote__does_without_vectors(sample: dict[str, list[Text]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity, "load_vectors", lambda: None)
    assert right(sample, QUESTIONS) >= 43
    assert right(sample, UNSEEN) >= 16


def test_quote__is_word_for_word_and_names_its_source(sample: dict[str, list[Text]]) -> None:
    for who, asked, _ in QUESTIONS + UNSEEN:
        answer = quote(Sources(asked, lambda who=who: sample[who]))  # type: ignore[misc]
        assert answer == quote(Sources(asked, lambda who=who: sample[who]))  # type: ignore[misc]
        if answer != NOTHING_FOUND:
            passage, _, source = answer.rpartition("\n\n")
            [text] = [text for text in sample[who] if source == f"(from {text.source})"]
            assert passage in text.body


@pytest.mark.parametrize("texts", [[], [Text("x", "")], [Text("x", " \n\n ")]])
def test_quote__of_nothing(texts: list[Text]) -> None:
    assert quote(Sources("Who opens the door?", lambda: texts)) == NOTHING_FOUND


@pytest.mark.parametrize("question", ["", "?", "the of and", "🙂", "x" * 65_536, "door " * 10_000])
def test_quote__takes_any_question(question: str) -> None:
    assert quote(Sources(question, lambda: [Text("x", "Nothing to see.")])) == NOTHING_FOUND


def test_passages__are_paragraphs_with_their_headings() -> None:
    text = Text("guide", "# Guide\n\n## Doors\n\nThe porter opens\nthe doors. \n\n \t\n\nLifts are slow.\n")
    assert [passage.text for passage in passages_of([text])] == [
        "## Doors\n\nThe porter opens\nthe doors.",
        "Lifts are slow.",
    ]


def test_turn__of_the_offline_model(desk: Callable[..., Desk], owner: Player) -> None:
    Document.objects.create(
        organization=owner.organization,
        document_id="house",
        description="x",
        body="The porter opens the doors.",
    )
    opened = desk(settings={"model": "offline:extract"}, instructions="You are the desk.")
    request = opened.say("Who opens the doors?")
    assert request.output == {"text": "The porter opens the doors.\n\n(from house)"}
    assert (request.input_tokens, request.output_tokens) == (0, 0)
    assert opened.say("How far is the moon?").output == {"text": NOTHING_FOUND}


def test_turn__of_the_offline_model_without_the_agents_extra(
    desk: Callable[..., Desk], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.startswith("workforce.turns.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    opened = desk(settings={"model": "offline:extract"})
    request = opened.say("Who opens the doors?")
    assert (request.status, request.error["code"]) == ("failed", "model-not-configured")
    assert "agents" in request.error["message"] and opened.items()[0][1]["role"] == "user"
