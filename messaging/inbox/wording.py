"""What a search asks for: words and phrases, and nothing else is syntax. Pure. See docs/inbox.md, "Search"."""

from __future__ import annotations

import re

from messaging.inbox.payloads import folded

_PART = re.compile(r'"([^"]*)"|(\S+)')


def wanted_texts(query: str) -> list[str]:
    """The texts that must all occur: each word, and each phrase in double quotes as a whole.

    A quote that is never closed is a letter like any other. Longest first, as the rarest.
    """
    parts = (folded(phrase or word) for phrase, word in _PART.findall(query))
    return sorted({part for part in parts if part}, key=lambda part: (-len(part), part))
