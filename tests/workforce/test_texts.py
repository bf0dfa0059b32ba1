"""The types of text that inputs are made of."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from workforce.texts import Body, LongText, Name, SessionId, Text, Title, check_text, is_blank

EMOJI = "\N{GRINNING FACE}"
LIMITS = [(Body, 65_536), (LongText, 65_536), (Title, 200), (Name, 200)]


def taken(kind: Any, value: Any) -> bool:
    try:
        return bool(TypeAdapter(kind).validate_python(value, strict=True) == value)
    except ValidationError:
        return False


@pytest.mark.parametrize(("kind", "limit"), LIMITS)
@pytest.mark.parametrize("letter", ["x", EMOJI, "\n"])
def test_text__limits_count_characters(kind: Any, limit: int, letter: str) -> None:
    assert taken(kind, "x" + letter * (limit - 1))
    assert not taken(kind, "x" + letter * limit)


@pytest.mark.parametrize("kind", [Text, Title, LongText, Body, Name])
@pytest.mark.parametrize("value", ["a\x00", "\x00", "a\ud800b", "\udfff", "\ud83d", 5, None, b"x", ["x"]])
def test_text__what_no_column_holds(kind: Any, value: Any) -> None:
    assert not taken(kind, value)


@pytest.mark.parametrize("kind", [Text, Title, LongText, Body, Name])
@pytest.mark.parametrize("value", ["x", " x ", "\t\r\nx", "\x01\x7fx", "\ufeffx", "\u202ex", EMOJI, "\ufffe"])
def test_text__everything_else_stays_as_it_is(kind: Any, value: str) -> None:
    assert taken(kind, value)


UNSEEN = [
    "", " ", "\n\t\r", "\u00a0", "\u2003\u3000", "\x1c\x1f", "\x85", "\x07", "\u2028\u2029", "\u00ad", "\u202e",
    "\u200b", "\ufeff \u200d\u2060", "\u3164", "\u2800", "\u115f\u1160\uffa0", "\ufe0f", "\U000e0100",
]  # fmt: skip


@pytest.mark.parametrize("value", UNSEEN)
def test_body__not_blank(value: str) -> None:
    assert not taken(Body, value)
    assert taken(LongText, value)
    assert is_blank(value)


@pytest.mark.parametrize(
    "value", ["x", ".", "\u200bx", "é", "e\u0301", "字", "\u0301", EMOJI, "\N{HEAVY BLACK HEART}\ufe0f"]
)
def test_blank__what_shows_is_not(value: str) -> None:
    assert not is_blank(value)


@pytest.mark.parametrize("value", ["a", "A.b_c~d-e", "9", ".", "~", "a" * 200])
def test_session_id__in_form(value: str) -> None:
    assert taken(SessionId, value)


@pytest.mark.parametrize("value", ["", "a" * 201, "a b", "a\n", "\na", "a/b", "é", "a:b", "a%20", "²", 5])
def test_session_id__out_of_form(value: Any) -> None:
    assert not taken(SessionId, value)


def test_check_text__says_what_is_wrong() -> None:
    with pytest.raises(ValueError, match="NUL"):
        check_text("a\x00")
    with pytest.raises(ValueError, match="surrogate"):
        check_text("\ud800")
