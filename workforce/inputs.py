"""Inputs of actions and bodies: closed pydantic models, with refusals that name each field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from workforce.errors import InvalidInput
from workforce.nearest import nearest

Model = TypeVar("Model", bound=BaseModel)
SHOWN = 20
_SHOULD = re.compile(r"^(Input|String|List|Dictionary|Set|Tuple|Bytes|Data|Value) should ")


def validate_input(model: type[Model], value: Any, *, at: str = "") -> Model:
    """The value as an instance of ``model``. Raises InvalidInput with every bad field by its path."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise invalid_input(model, error, at=at) from None


def invalid_input(model: type[BaseModel], error: ValidationError, *, at: str = "") -> InvalidInput:
    """A pydantic error as a refusal: every bad field by its path, unknown keys with the nearest known one."""
    known = [field.alias or name for name, field in model.model_fields.items()]
    # Neither the value (it may be secret or huge) nor a link to pydantic's pages goes to the caller.
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    errors = [_describe(fault, known, at) for fault in faults[:SHOWN]]
    sentence = "; ".join(f"{entry['path']}: {entry['message']}" for entry in errors)
    if len(faults) > SHOWN:
        sentence += f"; and {len(faults) - SHOWN} more"
    return InvalidInput(sentence, errors=errors)


def words_of(fault: Mapping[str, Any]) -> str:
    """What one of pydantic's faults says, in this service's voice."""
    words = str(fault["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return _SHOULD.sub("must ", words)


def _describe(fault: Any, known: list[str], at: str) -> dict[str, str]:
    parts = [_shown(part) for part in ([at] if at else []) + list(fault["loc"])]
    path = ".".join(parts) or "input"
    message = words_of(fault)
    if fault["type"] == "extra_forbidden":
        message = "unknown key"
        if len(fault["loc"]) == 1:
            near = nearest(str(fault["loc"][0]), known)
            message += f"; did you mean '{near}'?" if near else f"; known: {', '.join(known) or 'none'}"
    elif fault["type"] in {"model_type", "model_attributes_type", "dict_type"}:
        message = "must be an object"
    elif fault["type"] == "missing":
        message = "is required"
    return {"path": path, "message": message}


def _shown(part: object) -> str:
    text = str(part)
    return text if len(text) <= 100 else f"{text[:100]}…"
