"""Rows read by SQL that is written once, for the few statements that every call runs.

To build one by the ORM takes several times as long as to run it, and ``Manager.raw`` works out anew at every call what
the columns are and how each is converted. What comes back are the models' own instances; columns that are not read load
when they are asked for, as after ``only``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Field, Model

#: A model, the name of its table in the statement, and the columns that are read of it.
Part = tuple[type[Model], str, frozenset[str]]
_Convert = Callable[[Any], Any]


def whole(model: type[Model], alias: str) -> tuple[type[Model], str, list[str]]:
    """The part of a statement that reads every column."""
    return model, alias, [field.attname for field in model._meta.concrete_fields]


class Statement:
    """A SELECT of columns of some tables; ``tail`` is all of it from FROM on, ``opening`` what stands before it.

    With the verb RETURNING it is what a statement that writes (``opening``) answers with.
    """

    def __init__(
        self,
        parts: Sequence[tuple[type[Model], str, Sequence[str]]],
        tail: str = "",
        *,
        opening: str = "",
        verb: str = "SELECT",
    ) -> None:
        self._parts: list[Part] = [(model, alias, frozenset(names)) for model, alias, names in parts]
        self._tail, self._opening, self._verb = tail, opening, verb

    def read(self, params: Sequence[Any], *, more: str = "") -> list[list[Any]]:
        """For each row an instance of each part, in their order. ``more`` is added to the statement's end."""
        with connection.cursor() as cursor:
            cursor.execute(f"{self._head()}{self._tail}{more}", params)
            rows = cursor.fetchall()
        return [self._instances(row) for row in rows]

    def read_before(
        self,
        then: Statement,
        params: Sequence[Any],
        then_params: Sequence[Any],
        *,
        more: str = "",
        then_more: str = "",
    ) -> tuple[list[list[Any]], list[list[Any]]]:
        """What this statement gives, and what ``then`` gives after it; on PostgreSQL in one way to the database.

        There both are one transaction, also where none was begun, and the second one sees what was committed while
        the first one waited for a lock. Elsewhere call it in a transaction.
        """
        if connection.vendor != "postgresql":
            return self.read(params, more=more), then.read(then_params, more=then_more)
        first, second = f"{self._head()}{self._tail}{more}", f"{then._head()}{then._tail}{then_more}"
        with connection.cursor() as cursor:
            cursor.execute(f"{first}; {second}", [*params, *then_params])
            rows = cursor.fetchall()
            cursor.nextset()
            then_rows = cursor.fetchall()
        return [self._instances(row) for row in rows], [then._instances(row) for row in then_rows]

    def first(self, params: Sequence[Any], *, more: str = "") -> Any:
        """The instance of the first part in the first row, or None."""
        rows = self.read(params, more=more)
        return rows[0][0] if rows else None

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
        return f"{self._opening}{self._verb} {', '.join(columns)} "

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


def locking(strength: str) -> str:
    """The end of a statement that locks what it reads, where the database locks rows: ``UPDATE``, ``NO KEY UPDATE``."""
    return f" FOR {strength}" if connection.vendor == "postgresql" else ""
