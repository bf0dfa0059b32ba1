"""Rows of a model read by statements of our own.

For the few statements that every call runs. To build one by the ORM takes several times as long as to run it, and
``Manager.raw`` works out anew at every call what the columns of the table are and how each is converted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from django.db import connection
from django.db.models import Model
from django.db.models.expressions import Col

M = TypeVar("M", bound=Model)
#: Where a value stands in a row, and what turns it into what the model holds.
Converter = tuple[int, Callable[[Any, Any, Any], Any], Col]


class Rows(Generic[M]):
    """The rows of one model, whole."""

    def __init__(self, model: type[M]) -> None:
        self._model = model
        self._fields = model._meta.concrete_fields
        self._names = [field.attname for field in self._fields]
        self._converters: dict[str, list[Converter]] = {}

    def columns(self, table: str) -> str:
        """The columns in the order in which they are read, of the table or alias of this name."""
        return ", ".join(f"{table}.{connection.ops.quote_name(field.column)}" for field in self._fields)

    def read(self, statement: str, params: Sequence[Any]) -> list[M]:
        """The rows that the statement gives; it has to select ``columns`` of a table."""
        with connection.cursor() as cursor:
            cursor.execute(statement, params)
            return [self._as_row(list(values)) for values in cursor.fetchall()]

    def first(self, statement: str, params: Sequence[Any]) -> M | None:
        """The first of them, or None."""
        return next(iter(self.read(statement, params)), None)

    def given(self, name: str, value: Any) -> Any:
        """A value of this column as the database is given it."""
        return self._model._meta.get_field(name).get_db_prep_save(value, connection)  # type: ignore[union-attr]

    def _as_row(self, values: list[Any]) -> M:
        for index, convert, column in self._converting():
            values[index] = convert(values[index], column, connection)
        return self._model.from_db(connection.alias, self._names, values)

    def _converting(self) -> list[Converter]:
        found = self._converters.get(connection.vendor)
        if found is None:
            found = self._converters[connection.vendor] = [
                (index, convert, column)
                for index, field in enumerate(self._fields)
                for column in [Col(self._model._meta.db_table, field)]
                for convert in [
                    *connection.ops.get_db_converters(column),
                    *field.get_db_converters(connection),  # type: ignore[attr-defined]
                ]
            ]
        return found


def locking(strength: str) -> str:
    """The end of a statement that locks what it reads, where the database locks rows: ``UPDATE``, ``NO KEY UPDATE``."""
    return f" FOR {strength}" if connection.vendor == "postgresql" else ""
