"""Finding the passage that answers a question, word for word. See docs/turns.md, "The offline model"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workforce.turns.models import Text
from workforce.turns.similarity import shared_words, similarities

#: Under this a passage is not said to fit. Tuned on tests/workforce/turns/questions.py.
ENOUGH = 0.31
#: Without vectors, the share of the question's words that must be there.
ENOUGH_WORDS = 0.45
#: What the vectors and the shared words weigh.
VECTORS, WORDS = 0.55, 0.45

#: Lines up to one that is blank.
_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n(?![ \t\r]*(?:\n|\Z))[^\n]*)*")
_HEADING = re.compile(r"#+ [^\n]*")


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph, word for word, and where it is from."""

    source: str
    text: str


@dataclass(frozen=True, slots=True)
class Found:
    """The passage that fits best, how well, and whether that is enough to answer with it."""

    passage: Passage
    score: float
    enough: bool


def passages_of(texts: Iterable[Text]) -> list[Passage]:
    """The paragraphs of the texts. A paragraph that is only a heading belongs to the next one."""
    found = []
    for text in texts:
        heading: int | None = None
        for match in _PARAGRAPH.finditer(text.body):
            if _HEADING.fullmatch(match[0].strip()):
                heading = match.start()
                continue
            start = match.start() if heading is None else heading
            found.append(Passage(text.source, text.body[start : match.end()].strip()))
            heading = None
    return found


def best_passage(question: str, passages: Sequence[Passage]) -> Found | None:
    """The passage that fits the question best; the first of equals. None when there are no passages."""
    if not passages:
        return None
    texts = [passage.text for passage in passages]
    shared = shared_words(question, texts)
    if not any(shared):
        return Found(passages[0], 0.0, False)
    similar = similarities(question, texts)
    scores = (
        shared if similar is None else [VECTORS * s + WORDS * w for s, w in zip(similar, shared, strict=True)]
    )
    best = max(range(len(texts)), key=lambda number: scores[number])
    enough = scores[best] >= (ENOUGH_WORDS if similar is None else ENOUGH) and shared[best] > 0
    return Found(passages[best], scores[best], enough)
