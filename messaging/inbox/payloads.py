"""A payload as text: its size, its beginning, and the words that search finds. Pure. See docs/inbox.md."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from typing import Any, Optional

EXCERPT = 200


def compact(payload: Any) -> str:
    """The payload as compact JSON text: what is measured, and what excerpts are the beginning of."""
    return json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def size_of(text: str) -> int:
    """The bytes of the text as UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


#: Where in a payload something stands: what that is in (None for the payload itself), and the key or number there.
Place = tuple[Optional["Place"], str | int]


def leaves_of(payload: Any) -> Iterator[tuple[Place | None, str | int | float | bool | None]]:
    """Each value of the payload that holds no others with its place, and each key, in order.

    Without recursion: how deep a payload may be is not decided here. A place is not written out before somebody
    asks for its path: below one long key there may be ten thousands of them.
    """
    waiting: list[tuple[Place | None, Any]] = [(None, payload)]
    while waiting:
        place, value = waiting.pop()
        if isinstance(value, dict):
            for key, inner in reversed(value.items()):
                here: Place = (place, key)
                waiting += [(here, inner), (here, key)]
        elif isinstance(value, list):
            waiting += [((place, number), value[number]) for number in range(len(value) - 1, -1, -1)]
        else:
            yield place, value


def path_of(place: Place | None) -> str:
    """The place as a path: ``a[0].b``; empty for the payload itself."""
    parts: list[str] = []
    while place is not None:
        within, part = place
        parts.append(f"[{part}]" if isinstance(part, int) else part if within is None else f".{part}")
        place = within
    return "".join(reversed(parts))


def searchable(payload: Any) -> str:
    """What search looks through: one line per text of the payload, folded; numbers as JSON writes them."""
    return "\n".join(
        folded(leaf) if isinstance(leaf, str) else json.dumps(leaf).lower() for _, leaf in leaves_of(payload)
    )


def folded(text: str) -> str:
    """The text as search compares it: any case and either form of an accent is one, and so is any white space.

    Without NUL, which no column of text can hold.
    """
    if text.isascii():
        plain = text.lower()
    else:
        plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(plain.replace("\x00", " ").split())
