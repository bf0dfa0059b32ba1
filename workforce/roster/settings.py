"""A worker's settings against its kind's closed model, in an author's words. See docs/tree.md."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ValidationError

from workforce.inputs import words_of
from workforce.kinds.base import WorkerKind
from workforce.refusals import EMPTY, is_storable, quoted
from workforce.roster.faults import Fault
from workforce.vocabulary import Vocabulary

#: Keys that every worker file may carry, whatever its kind.
COMMON_KEYS = ("description", "flow", "instructions")

_PHRASES = {
    "missing": "is required",
    "string_type": "must be a string",
    "list_type": "must be a list",
    "dict_type": "must be a mapping",
    "model_type": "must be a mapping",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "finite_number": "must be a finite number",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "greater_than": "must be more than {gt}",
    "less_than": "must be less than {lt}",
    "too_long": "has more than {max_length} entries",
    "too_short": "has fewer than {min_length} entries",
    "string_too_long": "has more than {max_length} characters",
    "string_too_short": "has fewer than {min_length} characters",
    "literal_error": "must be {expected}",
    "value_error": "{error}",
    "extra_forbidden": "is not a key that is known here",
}


@dataclass(frozen=True, slots=True)
class JudgedSettings:
    """The settings a file declares: their model when all is sound, and every problem.

    ``declared`` is the part that the kind's model knows; ``stored`` is a copy of it in JSON's own types.
    """

    model: BaseModel | None
    declared: dict[str, Any]
    stored: dict[str, Any]
    problems: list[Fault] = field(default_factory=list)


def setting_keys(model: type[BaseModel]) -> dict[str, str]:
    """The keys that files use for the model's fields, each with the name of its attribute."""
    return {_key(name, info.validation_alias, info.alias): name for name, info in model.model_fields.items()}


def judge_settings(
    kind: WorkerKind,
    declared: Mapping[Any, Any],
    kinds: Mapping[str, WorkerKind],
    refused: Collection[str] = (),
) -> JudgedSettings:
    """Validate the keys of a worker file that are settings of its kind. Reports, never raises.

    Keys in ``refused`` were judged already and are passed over.
    """
    keys = setting_keys(kind.settings)
    own = {key: value for key, value in declared.items() if key not in COMMON_KEYS and key not in refused}
    known = {key: value for key, value in own.items() if key in keys}
    unknown = [key for key in own if key not in keys]
    problems = [_unknown_keys(unknown, kind, kinds)] if unknown else []
    try:
        model = kind.settings.model_validate(known)
    except ValidationError as error:
        return JudgedSettings(None, known, {}, problems + _field_problems(error))
    try:
        stored = _stored(known)
    except (ValueError, TypeError, RecursionError) as problem:
        unstorable = Fault("", f"its settings cannot be stored as JSON: {problem}")
        return JudgedSettings(model, known, {}, [*problems, unstorable])
    return JudgedSettings(model, known, stored, problems)


def _key(name: str, *aliases: object) -> str:
    return next((alias for alias in aliases if isinstance(alias, str)), name)


def _unknown_keys(unknown: list[Any], kind: WorkerKind, kinds: Mapping[str, WorkerKind]) -> Fault:
    sentence = Vocabulary("key", [*setting_keys(kind.settings), *COMMON_KEYS]).refuse(unknown)
    for key in unknown:
        takers = sorted(name for name, other in kinds.items() if key in setting_keys(other.settings))
        if takers:
            flows = " or ".join(f"'flow: {name}'" for name in takers)
            sentence += f"; {quoted(key)} is for a worker with {flows}"
    return Fault("", sentence)


def _field_problems(error: ValidationError) -> list[Fault]:
    return [_field_problem(dict(found)) for found in error.errors(include_url=False)]


def _field_problem(found: Mapping[str, Any]) -> Fault:
    path = _path(found["loc"]) or "its settings"
    if found["input"] is None and found["type"] not in ("missing", "empty"):
        return Fault(path, EMPTY)
    phrase = _PHRASES.get(found["type"])
    if phrase is None:
        return Fault(path, words_of(found))
    return Fault(path, phrase.format_map(found.get("ctx", {})))


def _path(location: tuple[int | str, ...]) -> str:
    path = ""
    for step in location:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else step
    return path


def _stored(declared: dict[str, Any]) -> Any:
    for text in _texts(declared):
        if not is_storable(text):
            raise ValueError(f"{quoted(text)} holds a NUL or half of a surrogate pair")
    return json.loads(json.dumps(declared, allow_nan=False))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, held in value.items():
            if not isinstance(key, str):
                raise TypeError(f"the key {quoted(key)} is not a string")
            yield key
            yield from _texts(held)
    elif isinstance(value, list):
        for held in value:
            yield from _texts(held)
