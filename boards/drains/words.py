"""Texts of runs as rows can keep them."""

from __future__ import annotations

from boards.limits import WORDS
from workforce.texts import is_blank

_CUT = "… [cut]"


def fit_error(text: str) -> str:
    """The text without what no database keeps, not blank, and no longer than a row's error may be."""
    text = text.encode("utf-8", "backslashreplace").decode().replace("\x00", "\\0")
    if is_blank(text):
        return "the run failed without a word"
    return text if len(text) <= WORDS else text[: WORDS - len(_CUT)] + _CUT
