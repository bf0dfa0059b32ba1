"""The nearest known word to a mistyped one, for refusals that name the mend."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word closest to ``word``, or None when none is near."""
    if len(word) > 100:  # difflib is quadratic, and nobody mistypes a hundred letters
        return None
    found = get_close_matches(word.lower(), sorted(known), n=1, cutoff=0.6)
    return found[0] if found else None


def unknown_words(what: str, unknown: Iterable[str], known: Iterable[str]) -> str:
    """A sentence that names each unknown word, its nearest known one, and all that are known."""
    choices = sorted(known)
    named = []
    for word in unknown:
        near = nearest(word, choices)
        shown = word if len(word) <= 100 else f"{word[:100]}…"
        named.append(f"'{shown}'" + (f" (did you mean '{near}'?)" if near else ""))
    listed = ", ".join(choices) if choices else "none"
    return f"unknown {what} {', '.join(named)}; known: {listed}"
