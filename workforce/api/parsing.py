"""Reading JSON bodies strictly."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser

from workforce.errors import InvalidJson

#: Deeper values cannot be handled safely by every library on the way.
MAX_DEPTH = 100


class StrictJsonParser(BaseParser):
    """JSON as the standard has it: UTF-8, no NaN, no infinities, no key twice, no lone surrogates."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        return parse_json(stream.read())


def parse_json(raw: bytes) -> Any:
    """The value of a body; an empty one is an empty object. Raises InvalidJson with where and what."""
    if not raw.strip():
        return {}
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidJson(f"the body is not UTF-8: byte {error.start} does not fit") from None
    try:
        value = json.loads(
            text, parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_no_key_twice
        )
    except json.JSONDecodeError as error:
        raise InvalidJson(
            f"the body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        ) from None
    except RecursionError:
        raise InvalidJson(f"the body is nested too deeply; at most {MAX_DEPTH} levels") from None
    except ValueError as error:  # the hooks below, and integers of thousands of digits
        raise InvalidJson(f"the body is not JSON that can be kept: {error}") from None
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(value)
    if "\\u" in text:
        _check_surrogates(text)
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON; send a number or null")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"the number {text[:40]} is too large")
    return value


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"the key '{twice[:100]}' stands twice in one object")
    return made


def _check_depth(value: Any) -> None:
    level, values = 0, [value]
    while values:
        if level > MAX_DEPTH:
            raise InvalidJson(f"the body is nested too deeply; at most {MAX_DEPTH} levels")
        inner: list[Any] = []
        for entry in values:
            if isinstance(entry, dict):
                inner.extend(entry.values())
            elif isinstance(entry, list):
                inner.extend(entry)
        level, values = level + 1, [entry for entry in inner if isinstance(entry, (dict, list))]


def _check_surrogates(text: str) -> None:
    """A lone surrogate can only come in by an escape; re-encoding the decoded strings finds it."""
    try:
        json.dumps(json.loads(text), ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InvalidJson(
            "the body has a lone surrogate (half of a character in an escape); send whole characters"
        ) from None
