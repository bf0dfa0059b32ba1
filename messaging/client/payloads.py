"""The payload of a send: from an argument, a file or standard input."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from messaging.client.environment import Misused


def read_payload(text: str | None, file: str | None, *, parse: bool) -> Any:
    """The payload that the arguments name: a text, or with ``parse`` what the text is as JSON. Raises Misused.

    ``-`` is standard input. The newline at the end of a file or of standard input is not part of a text.
    """
    if (text is None) == (file is None):
        raise Misused("give the payload as TEXT, as '-' for standard input, or with --file PATH; one of them")
    source = file if file is not None else "-" if text == "-" else None
    whole = text if source is None else _content(source)
    assert whole is not None
    if parse:
        return _parsed(whole)
    return whole if source is None else whole.removesuffix("\n").removesuffix("\r")


def key_of(body: dict[str, Any]) -> str:
    """The ``Idempotency-Key`` of a send: of the same content the same, so that the command can be repeated."""
    text = json.dumps(body, sort_keys=True)
    return f"client-{hashlib.sha256(text.encode()).hexdigest()}"


def _content(source: str) -> str:
    if source == "-" and sys.stdin is None:
        raise Misused("standard input is closed, and the payload is to come from it")
    try:
        raw = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
        return raw.decode("utf-8")
    except OSError as error:
        raise Misused(f"{source} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Misused(f"{'standard input' if source == '-' else source} is not UTF-8") from None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise Misused(f"the payload is no JSON: {error}") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a key twice")
    return found


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")
