"""How large the parts of a row may be, and the types of inputs that say so. See docs/boards.md."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, Field, StringConstraints

from workforce.texts import check_not_blank, check_text

GOAL, CONTEXT, TITLE, LABEL, LABELS = 32_768, 65_536, 200, 64, 50
VALUE_BYTES, METADATA_BYTES = 256 * 1024, 16 * 1024
#: What an error, a question, an answer or a reason may hold.
WORDS = 32_768


def check_value(value: Any) -> Any:
    """The JSON value itself. Raises ValueError with the path of what is not strict, or with the size."""
    return _checked(value, VALUE_BYTES)


def check_metadata(value: dict[str, Any]) -> dict[str, Any]:
    """The object itself. Raises ValueError as ``check_value``."""
    _checked(value, METADATA_BYTES)
    return value


def _checked(value: Any, limit: int) -> Any:
    fault = _fault(value, "")
    if fault:
        raise ValueError(fault)
    size = len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
    if size > limit:
        raise ValueError(f"has {size} bytes as JSON; the limit is {limit}")
    return value


def _fault(value: Any, path: str) -> str | None:
    """What is not strict JSON in a value, with where; None when all of it is."""
    if isinstance(value, dict):
        return _first(
            _key_fault(key, path) or _fault(inner, _joined(path, key)) for key, inner in value.items()
        )
    if isinstance(value, list):
        return _first(_fault(inner, f"{path}[{number}]") for number, inner in enumerate(value))
    at = path or "value"
    if isinstance(value, float) and not math.isfinite(value):
        return f"{at}: {value} is not JSON; send a number or null"
    if isinstance(value, str) and not _is_whole(value):
        return f"{at}: contains a lone surrogate, half of a character; send whole characters"
    if value is not None and not isinstance(value, (str, int, float, bool)):
        return f"{at}: {type(value).__name__} is not JSON"
    return None


def _key_fault(key: object, path: str) -> str | None:
    if not isinstance(key, str):
        return f"{path or 'value'}: the key {key!r} is not text"
    return (
        None
        if _is_whole(key)
        else f"{path or 'value'}: a key contains a lone surrogate; send whole characters"
    )


def _joined(path: str, key: str) -> str:
    return f"{path}.{key[:100]}" if path else key[:100]


def _first(faults: Iterable[str | None]) -> str | None:
    return next((fault for fault in faults if fault is not None), None)


def _is_whole(text: str) -> bool:
    """Whether the text can be written as UTF-8: it has no half characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


Goal = Annotated[
    str, StringConstraints(max_length=GOAL), AfterValidator(check_text), AfterValidator(check_not_blank)
]
Words = Annotated[
    str, StringConstraints(max_length=WORDS), AfterValidator(check_text), AfterValidator(check_not_blank)
]
Reason = Annotated[str, StringConstraints(max_length=WORDS), AfterValidator(check_text)]
Title = Annotated[
    str, StringConstraints(max_length=TITLE), AfterValidator(check_text), AfterValidator(check_not_blank)
]
Context = Annotated[str, StringConstraints(max_length=CONTEXT), AfterValidator(check_text)]
Label = Annotated[
    str, StringConstraints(max_length=LABEL), AfterValidator(check_text), AfterValidator(check_not_blank)
]
WorkerKey = Annotated[
    str, StringConstraints(max_length=130), AfterValidator(check_text), AfterValidator(check_not_blank)
]
TaskId = Annotated[str, StringConstraints(min_length=1, max_length=64), AfterValidator(check_text)]
#: A number that the database can order by.
Priority = Annotated[float, Field(ge=-1e15, le=1e15, allow_inf_nan=False)]
MaxAttempts = Annotated[int, Field(ge=1, le=1_000_000)]
Labels = Annotated[list[Label], Field(max_length=LABELS)]
Deps = Annotated[list[TaskId], Field(max_length=1000)]
Value = Annotated[Any, AfterValidator(check_value)]
Metadata = Annotated[dict[str, Any], AfterValidator(check_metadata)]
