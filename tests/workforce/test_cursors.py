"""Opaque cursors: what was handed out comes back, and nothing else is taken."""

from __future__ import annotations

import base64
import re
from typing import Any

import pytest

from workforce.cursors import decode_cursor, encode_cursor
from workforce.errors import InvalidCursor

POSITIONS = [[1, 2], ["on", 5], ["back", 2**53], ["2026-01-01T00:00:00+00:00", 7], [], ["é\U0001f600", None]]


@pytest.mark.parametrize("position", POSITIONS)
def test_cursor__comes_back(position: list[Any]) -> None:
    cursor = encode_cursor("items:1", position)
    assert re.fullmatch(r"[A-Za-z0-9_-]+", cursor)
    assert decode_cursor("items:1", cursor) == position


@pytest.mark.parametrize("scope", ["items:2", "items:", "items:11", "requests:1", ""])
def test_cursor__of_another_list(scope: str) -> None:
    with pytest.raises(InvalidCursor):
        decode_cursor(scope, encode_cursor("items:1", [1]))


@pytest.mark.parametrize("position", POSITIONS)
def test_cursor__every_damage_is_told(position: list[Any]) -> None:
    cursor = encode_cursor("items:1", position)
    letters = "ABab01-_"
    damaged = {
        cursor[:place] + letter + cursor[place + 1 :] for place in range(len(cursor)) for letter in letters
    }
    damaged |= {cursor[:end] for end in range(len(cursor))} | {
        cursor + more for more in ("A", "=", "==", "\n", " ")
    }
    for text in damaged - {cursor}:
        with pytest.raises(InvalidCursor):
            decode_cursor("items:1", text)


@pytest.mark.parametrize("text", ["", "=", "é", "\x00", "+/+/", "A" * 9999, "null", "WzFd", "\ud800"])
def test_cursor__what_is_none(text: str) -> None:
    with pytest.raises(InvalidCursor):
        decode_cursor("items:1", text)


def test_cursor__of_another_server(settings: Any) -> None:
    cursor = encode_cursor("items:1", [1])
    settings.SECRET_KEY = "another"
    with pytest.raises(InvalidCursor):
        decode_cursor("items:1", cursor)


def test_cursor__the_other_alphabet_is_not_taken() -> None:
    cursors = [encode_cursor("items:1", [number]) for number in range(200)]
    told = next(cursor for cursor in cursors if "-" in cursor or "_" in cursor)
    with pytest.raises(InvalidCursor):
        decode_cursor("items:1", told.replace("-", "+").replace("_", "/"))
    assert base64.urlsafe_b64decode(told + "=" * (-len(told) % 4))
