"""Fields of our own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    _TextField = models.TextField[Any, Any]
else:
    _TextField = models.TextField


def dump_json(value: Any) -> str:
    """Compact, ASCII-escaped JSON text; NaN and infinities are a ValueError."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


class Unreadable(str):
    """What a column holds that is no JSON, kept as it is: it fits no model, so one such row is refused in words."""


class JsonText(_TextField):
    """JSON kept as text, so that it comes back unchanged on every database.

    ``jsonb`` would refuse NUL, merge double keys and reorder; escaped text survives all of it. A ``lenient`` column
    gives what is no JSON as Unreadable, for rows that are read by the many and of which one must not stop the rest.
    """

    def __init__(self, *args: Any, lenient: bool = False, **options: Any) -> None:
        self.lenient = lenient  # no matter of the schema, so no migration says it
        super().__init__(*args, **options)

    if TYPE_CHECKING:
        _pyi_private_set_type: Any
        _pyi_private_get_type: Any
        _pyi_lookup_exact_type: Any

    def from_db_value(self, value: str | None, expression: object, connection: object) -> Any:
        if value is None:
            return None
        try:
            return json.loads(value)
        except ValueError:
            if not self.lenient:
                raise
            return Unreadable(value)

    def to_python(self, value: Any) -> Any:
        return value

    def get_prep_value(self, value: Any) -> str | None:
        if isinstance(value, Unreadable):
            return str(value)
        return None if value is None else dump_json(value)

    def value_to_string(self, obj: models.Model) -> str:
        return dump_json(self.value_from_object(obj))
