"""Reading rows by SQL that is written once: to build it by the ORM takes several times as long as to run it.

For the few queries that every call of an inbox runs. What comes back are the models' own instances, whose other
columns load when they are asked for, as after ``only``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import AutoField, Field, Model

from workforce.services.rows import Write

#: A model, the name of its table in the statement, and the columns that are read of it.
Part = tuple[type[Model], str, frozenset[str]]
_Convert = Callable[[Any], Any]


class Statement:
    """A SELECT of some columns of several tables; ``tail`` is all of it from FROM on."""

    def __init__(self, parts: Sequence[tuple[type[Model], str, Sequence[str]]], tail: str) -> None:
        self._parts: list[Part] = [(model, alias, frozenset(names)) for model, alias, names in parts]
        self._tail = tail

    def read(self, params: Sequence[Any], *, more: str = "") -> list[list[Any]]:
        """For each row an instance of each part, in their order. ``more`` is added to the statement's end."""
        with connection.cursor() as cursor:
            cursor.execute(f"{self._head()}{self._tail}{more}", params)
            rows = cursor.fetchall()
        return [self._instances(row) for row in rows]

    def values(self, params: Sequence[Any], *, more: str = "") -> list[dict[str, Any]]:
        """For each row its values by ``table.attribute``, without instances."""
        names = self._names()
        with connection.cursor() as cursor:
            cursor.execute(f"{self._head()}{self._tail}{more}", params)
            rows = cursor.fetchall()
        return [dict(zip(names, self._converted(row), strict=True)) for row in rows]

    @cache  # noqa: B019
    def _names(self) -> list[str]:
        return [f"{alias}.{field.attname}" for _, alias, field in self._fields()]

    @cache  # noqa: B019 - statements live as long as the process
    def _head(self) -> str:
        quote = connection.ops.quote_name
        columns = [f"{alias}.{quote(field.column)}" for _, alias, field in self._fields()]
        return f"SELECT {', '.join(columns)} "

    def _fields(self) -> list[tuple[type[Model], str, Field[Any, Any]]]:
        """The columns, each part's in the order of its model, as ``from_db`` takes them."""
        return [
            (model, alias, field)
            for model, alias, names in self._parts
            for field in model._meta.concrete_fields
            if field.attname in names
        ]

    @cache  # noqa: B019
    def _converters(self) -> list[tuple[int, _Convert]]:
        found = []
        for place, (_, alias, field) in enumerate(self._fields()):
            column = field.get_col(alias)
            converters = [*connection.ops.get_db_converters(column), *column.get_db_converters(connection)]
            if converters:
                found.append((place, _chained(converters, column)))
        return found

    def _converted(self, row: Sequence[Any]) -> list[Any]:
        values = list(row)
        for place, convert in self._converters():
            values[place] = convert(values[place])
        return values

    def _instances(self, row: Sequence[Any]) -> list[Any]:
        values = self._converted(row)
        made, start = [], 0
        for model, _, names in self._parts:
            end = start + len(names)
            made.append(model.from_db(connection.alias, names, values[start:end]))
            start = end
        return made


def _chained(converters: Sequence[Callable[..., Any]], column: Any) -> _Convert:
    def convert(value: Any) -> Any:
        for each in converters:
            value = each(value, column, connection)
        return value

    return convert


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
