"""The words that a declaration may name, and the sentence that refuses any other. See docs/tree.md."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property

from workforce.nearest import nearest
from workforce.refusals import listed, quoted

#: A roster of thousands with one mistake in each file must still be refused in seconds.
COMPARISONS = 100_000
#: What one call may spend on them.
FEW_COMPARISONS = 5_000


class Vocabulary:
    """The known words of one sort (``what``: "tool", "board" …) during one binding.

    Suggestions stop once they have cost so many ``comparisons``; the refusals themselves never do.
    """

    def __init__(self, what: str, words: Collection[str], *, comparisons: int = COMPARISONS) -> None:
        self.what = what
        self.words = frozenset(words)
        self._left = comparisons

    def __contains__(self, word: object) -> bool:
        return word in self.words

    def unknown(self, words: Iterable[str]) -> list[str]:
        """Those of the words that are not known, each once, in their order."""
        return [word for word in dict.fromkeys(words) if word not in self.words]

    def refuse(self, unknown: Sequence[object]) -> str:
        """A sentence that names each unknown word with its nearest known one, and the known ones."""
        named = ", ".join(quoted(word) + self._suggested(word) for word in unknown)
        return f"unknown {self.what} {named}; known: {listed(self._sorted)}"

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.words)

    def _suggested(self, word: object) -> str:
        if not isinstance(word, str) or self._left < len(self.words):
            return ""
        self._left -= len(self.words)
        near = nearest(word, self._sorted)
        return f" (did you mean {quoted(near)}?)" if near else ""
