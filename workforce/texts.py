"""Types of text in inputs: what every text column can hold, and what it may not."""

from __future__ import annotations

import unicodedata
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

#: Categories without anything to see: spaces, ends of lines, control and format characters, lone surrogates.
_UNSEEN = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf", "Cs"})
#: Letters, marks and symbols that show nothing either: fillers, the empty braille cell, selectors of variants.
_EMPTY = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, [*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]))
)


def is_blank(text: str) -> bool:
    """Whether the text has no character that shows."""
    return all(letter in _EMPTY or unicodedata.category(letter) in _UNSEEN for letter in text)


def check_text(value: str) -> str:
    """The text itself. Raises ValueError for a NUL or a lone surrogate, which no database keeps."""
    if "\x00" in value:
        raise ValueError("contains a NUL character; leave it out")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("contains a lone surrogate, half of a character; send whole characters") from None
    return value


def check_not_blank(value: str) -> str:
    """The text itself. Raises ValueError when it has no character that shows."""
    if is_blank(value):
        raise ValueError("is blank; write something")
    return value


Text = Annotated[str, AfterValidator(check_text)]
Title = Annotated[str, StringConstraints(max_length=200), AfterValidator(check_text)]
LongText = Annotated[str, StringConstraints(max_length=65_536), AfterValidator(check_text)]
Body = Annotated[
    str,
    StringConstraints(min_length=1, max_length=65_536),
    AfterValidator(check_text),
    AfterValidator(check_not_blank),
]
Name = Annotated[str, StringConstraints(max_length=200), AfterValidator(check_text)]
SessionId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._~-]{1,200}\z")]
