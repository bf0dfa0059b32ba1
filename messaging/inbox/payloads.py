"""A payload as text: its size, its beginning, and the words that search finds. Pure. See docs/inbox.md."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from typing import Any

EXCERPT = 200


def compact(payload: Any) -> str:
    """The payload as compact JSON text: what is measured, and what excerpts are the beginning of."""
    return json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def size_of(text: str) -> int:
    """The bytes of the text as UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def texts_of(payload: Any) -> Iterator[tuple[str, str]]:
    """Each text of the payload with its path, keys among them, in order; numbers as JSON writes them.

    Without recursion: how deep a payload may be is not decided here.
    """
    waiting: list[tuple[str, Any]] = [("", payload)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, dict):
            for key, inner in reversed(value.items()):
                place = f"{path}.{key}" if path else key
                waiting += [(place, inner), (place, key)]
        elif isinstance(value, list):
            waiting += [(f"{path}[{number}]", inner) for number, inner in reversed(list(enumerate(value)))]
        else:
            yield path, json.dumps(value)


def searchable(payload: Any) -> str:
    """What search looks through: one line per text of the payload, folded."""
    return "\n".join(folded(text) for _, text in texts_of(payload))


def folded(text: str) -> str:
    """The text as search compares it: any case and either form of an accent is one, and so is any white space.

    Without NUL, which no column of text can hold.
    """
    if text.isascii():
        plain = text.lower()
    else:
        plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(plain.replace("\x00", " ").split())
