"""A record file in two: what its frontmatter declares, and the body below. See docs/tree.md."""

from __future__ import annotations

import re
from typing import Any

from workforce.tree.problems import LoadFailure
from workforce.tree.yaml_core import load_mapping, place

_OPENING = re.compile(r"---[ \t]*\r?(?:\n|\Z)")
_CLOSING = re.compile(r"^---[ \t]*\r?(?:\n|\Z)", re.MULTILINE)


def split_frontmatter(text: str) -> tuple[str, str]:
    """The YAML block between the fences as written, and the body.

    In the body CRLF becomes LF and one newline directly after the closing fence is dropped.
    Raises LoadFailure ("no frontmatter") when a fence is missing.
    """
    opening = _OPENING.match(text)
    if opening is None:
        raise LoadFailure(
            "no frontmatter: the first line must be exactly '---', with 'key: value' lines below"
        )
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        raise LoadFailure(
            "no frontmatter: the '---' on line 1 is not closed; put a line '---' below the keys"
        )
    return text[opening.end() : closing.start()], text[closing.end() :].replace("\r\n", "\n")


def parse_record(text: str) -> tuple[dict[str, Any], str]:
    """What a record file declares, exactly as written, and its body.

    Raises LoadFailure, with line and column in the file, for whatever cannot be read or stored.
    """
    check_no_nul(text)
    block, body = split_frontmatter(text)
    return load_mapping(block, what="the frontmatter", first_line=2), body


def check_no_nul(text: str) -> None:
    """Raise LoadFailure when ``text`` holds a NUL character, which no database column takes."""
    index = text.find("\0")
    if index >= 0:
        raise LoadFailure(f"line {place(text, index)}: a NUL character cannot be stored; remove it")
