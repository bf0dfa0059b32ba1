"""Holding payloads to a JSON Schema. Pure. See docs/inbox.md, "Payload schemas"."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

SHOWN = 20
_WORDS = 300
#: Knows nothing and fetches nothing: a schema refers to its own parts only.
_NO_OTHERS: Registry[Any] = Registry()


def _unique(validator: Any, wanted: Any, items: Any, schema: Any) -> Iterator[ValidationError]:
    """``uniqueItems`` in one pass: the library compares every two items, which takes minutes for some thousands."""
    if wanted and validator.is_type(items, "array"):
        seen: set[Hashable] = set()
        for number, item in enumerate(items):
            seen.add(_frozen(item))
            if len(seen) <= number:
                yield ValidationError(f"item {number} was there before; each may be there once")
                return


def _frozen(value: Any) -> Hashable:
    """Equal for what JSON Schema calls equal: 1 and 1.0 are, 1 and true are not, the order of keys is nothing."""
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, list):
        return "list", tuple(_frozen(item) for item in value)
    if isinstance(value, dict):
        return "dict", frozenset((key, _frozen(item)) for key, item in value.items())
    return "plain", value


_Validator = extend(Draft202012Validator, {"uniqueItems": _unique})


def schema_fault(schema: Any) -> str | None:
    """Why payloads cannot be held to the schema; None when they can."""
    if not isinstance(schema, (dict, bool)):
        return "must be an object (or true or false), as JSON Schema 2020-12 has it"
    try:
        Draft202012Validator.check_schema(schema)
        _misfits(schema, None)  # a reference that leads nowhere shows here, if anywhere before a send
    except SchemaError as error:
        return _shown(f"{_path(error)}: {error.message}")
    except (Unresolvable, RecursionError) as error:
        return _shown(f"a reference leads nowhere or round and round: {error}")
    return None


def misfits(schema: Any, payload: Any) -> list[dict[str, str]]:
    """Each part of the payload that does not fit, by its path; at most twenty. Nothing fits a broken schema."""
    try:
        return _misfits(schema, payload)
    except (Unresolvable, RecursionError):
        words = (
            "the schema itself refers to what is not there, or to itself for ever; an operator can mend it"
        )
        return [{"path": "payload", "message": words}]
    except OverflowError:
        return [{"path": "payload", "message": "a number is too large to be held to the schema"}]


def _misfits(schema: Any, payload: Any) -> list[dict[str, str]]:
    found = _Validator(schema, registry=_NO_OTHERS).iter_errors(payload)
    return [
        {"path": _path(error), "message": _shown(error.message)}
        for _, error in zip(range(SHOWN), found, strict=False)
    ]


def _path(error: ValidationError | SchemaError) -> str:
    text = ""
    for part in error.absolute_path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text[:200] or "payload"


def _shown(words: str) -> str:
    return words if len(words) <= _WORDS else f"{words[:_WORDS]}…"
