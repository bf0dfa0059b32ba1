"""The statements that write to inboxes; what is read is read as ``workforce.selectors.statements`` says."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import AutoField, Field, Model

from workforce.services.rows import Write


def insertion(instance: Model) -> Write:
    """What inserts the row, whose key is set or the database's, as ``save(force_insert=True)`` would."""
    text, fields = _insertion(type(instance))
    instance._state.adding, instance._state.db = False, connection.alias
    return text, [field.get_db_prep_save(getattr(instance, field.attname), connection) for field in fields]


@cache
def _insertion(model: type[Model]) -> tuple[str, list[Field[Any, Any]]]:
    quote = connection.ops.quote_name
    fields = [field for field in model._meta.concrete_fields if not isinstance(field, AutoField)]
    columns = ", ".join(quote(field.column) for field in fields)
    text = f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({marks(fields)})"  # noqa: S608
    return text, fields


def adapted(model: type[Model], name: str, value: Any) -> Any:
    """A value of the model's column as the database takes it."""
    return model._meta.get_field(name).get_db_prep_value(value, connection)  # type: ignore[union-attr]


def marks(values: Sequence[object]) -> str:
    """The placeholders of as many values."""
    return ", ".join(["%s"] * len(values))


def execute(text: str, params: Sequence[Any]) -> int:
    """Run a statement that writes; how many rows it wrote."""
    with connection.cursor() as cursor:
        cursor.execute(text, params)
        return int(cursor.rowcount)
