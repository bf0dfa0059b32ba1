"""One thing that is wrong with a worker, and where. See docs/tree.md and docs/workers.md."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong and the mend; ``path`` is the key that it is about, or empty when the words name it."""

    path: str
    words: str

    def __str__(self) -> str:
        return f"{self.path}: {self.words}" if self.path else self.words
