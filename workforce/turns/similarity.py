"""How well texts fit a question: by sentence vectors when wordllama is there, and by shared words. No network."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Protocol

_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")
#: Words that say nothing about a subject.
_COMMON = frozenset(
    _WORD.findall(
        """
        a about after all also am an and any anything are as at be because been before but by can
        could did do does doing don down for from get give go going good got had has have having he
        hello help hey hi how i if in into is it its just know let like make may me might more most
        much my need no not now of off on or our out over please put say see she should so some tell
        than thank thanks that the their them then there these they this those to too up us very
        want was we were what when where which while who whom why will with without would yes you
        your
        """
    )
)
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "ly", "e")


class Vectors(Protocol):
    """What is used of wordllama."""

    def embed(self, texts: list[str], norm: bool) -> Any: ...


def words_of(text: str) -> list[str]:
    """The words of a text that carry meaning, without their endings."""
    return [_stem(word) for word in _WORD.findall(text.lower()) if word not in _COMMON]


def _stem(word: str) -> str:
    word = word.removesuffix("'s")
    for ending in _ENDINGS:
        if len(word) - len(ending) >= 3 and word.endswith(ending):
            word = word[: -len(ending)] + ("y" if ending in {"ies", "ied"} else "")
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


def shared_words(question: str, texts: Sequence[str]) -> list[float]:
    """For each text the share of the question's words that it holds, 0 to 1; a word in few of the texts counts more."""
    bags = [Counter(words_of(text)) for text in texts]
    asked = set(words_of(question))
    weights = {word: _weight(sum(word in bag for bag in bags), len(bags)) for word in asked}
    total = sum(weights.values())
    if not total:
        return [0.0] * len(texts)
    return [sum(weight for word, weight in weights.items() if word in bag) / total for bag in bags]


def _weight(holding: int, of: int) -> float:
    return math.log(1 + of / (1 + holding))


def similarities(question: str, texts: Sequence[str]) -> list[float] | None:
    """The cosine of each text's vector to the question's; None when wordllama is not installed."""
    vectors = load_vectors()
    if vectors is None:
        return None
    asked = _vector(question)
    return [float(sum(a * b for a, b in zip(asked, _vector(text), strict=True))) for text in texts]


@lru_cache(maxsize=4096)
def _vector(text: str) -> tuple[float, ...]:
    """The text's vector at length one; zeros for a text that has no word at all."""
    vectors = load_vectors()
    assert vectors is not None
    parts = [float(part) for part in vectors.embed([text], norm=False)[0]]
    length = math.hypot(*parts) or 1.0
    return tuple(part / length for part in parts)


@cache
def load_vectors() -> Vectors | None:
    """The vectors of wordllama from its own package folder, loaded once per process; None when it is not installed."""
    try:
        import wordllama  # type: ignore[import-untyped]
    except ImportError:
        return None
    folder = Path(wordllama.__file__).parent
    loaded: Vectors = wordllama.WordLlama.load(cache_dir=folder, disable_download=True)
    return loaded
