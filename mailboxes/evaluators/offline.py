"""The evaluator that needs no network and no key. See docs/routing.md, "Evaluators"."""

from __future__ import annotations

from collections.abc import Mapping

from mailboxes.evaluators.base import Question, Verdict, best_of
from workforce.turns.similarity import load_vectors, shared_words, similarities

#: A post whose best description is less alike fits none; by sentence vectors, and by shared words.
ALIKE = 0.12
SHARED = 0.1
#: How much of the score is what was said just before, when something was, and how many lines of it.
_CONTEXT = 0.25
_LINES = 3
#: How much of a long text is looked at.
_CHARACTERS = 4_000


def evaluate(question: Question) -> Verdict:
    """By sentence vectors when wordllama is installed, else by shared words; none under the threshold."""
    if load_vectors() is None:
        return best_of(score_by_words(question), SHARED)
    return best_of(score_by_vectors(question), ALIKE)


def score_by_vectors(question: Question) -> Mapping[str, float]:
    """How alike the post and each description are, with a quarter for the lines just before."""
    recent = "\n".join(line["text"] for line in question.recent[-_LINES:])
    alike = _alike(question.post["text"], question.choices)
    if recent.strip():
        before = _alike(recent, question.choices)
        alike = [(1 - _CONTEXT) * now + _CONTEXT * then for now, then in zip(alike, before, strict=True)]
    return dict(zip(question.choices, alike, strict=True))


def score_by_words(question: Question) -> Mapping[str, float]:
    """The share of the post's words that each description has; a word that few of them have counts more."""
    shares = shared_words(question.post["text"][:_CHARACTERS], list(question.choices.values()))
    return dict(zip(question.choices, shares, strict=True))


def _alike(text: str, choices: Mapping[str, str]) -> list[float]:
    found = similarities(text[:_CHARACTERS], list(choices.values()))
    assert found is not None  # only called with the vectors there
    # A text without any known word has no direction: it is like nothing.
    return [value if value == value and value > 0 else 0.0 for value in found]
