"""Types of text in inputs: what every text column can hold, and what it may not."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, StringConstraints


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
    if not value.strip():
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
