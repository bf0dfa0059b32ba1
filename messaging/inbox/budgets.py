"""Packing items into an answer of a given length. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

#: What the parts of an answer need that are only written when something is left out: a cursor and a number.
_RESERVE = 120


def length_of(value: Any) -> int:
    """How many characters the value has in an answer."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def fitting(frame: Mapping[str, Any], items: Sequence[Any], budget: int) -> int:
    """How many of the items, from the first, fit with the frame into an answer of ``budget`` characters."""
    left = budget - length_of(frame) - _RESERVE
    for number, item in enumerate(items):
        left -= length_of(item) + 1
        if left < 0:
            return number
    return len(items)
