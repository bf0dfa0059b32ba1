"""Rows of a board read by statements of our own.

``Manager.raw`` works out anew at every call what the columns of the table are and how each is converted; that takes
longer than most of these statements run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from django.db import connection
from django.db.models.expressions import Col

from boards.models import Task

_FIELDS = Task._meta.concrete_fields
_NAMES = [field.attname for field in _FIELDS]
#: Where the value of a column stands in a row, and what turns it into what the model holds.
Converter = tuple[int, Callable[[Any, Any, Any], Any], Col]


@cache
def columns_of(table: str) -> str:
    """The columns of a row in the order in which they are read, of the table or alias of this name."""
    return ", ".join(f"{table}.{connection.ops.quote_name(field.column)}" for field in _FIELDS)


def read_tasks(statement: str, params: Sequence[Any]) -> list[Task]:
    """The rows that the statement gives; it has to select ``columns_of`` a table."""
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return [_as_task(list(values)) for values in cursor.fetchall()]


def _as_task(values: list[Any]) -> Task:
    for index, convert, column in _converters(connection.vendor):
        values[index] = convert(values[index], column, connection)
    return Task.from_db(connection.alias, _NAMES, values)


@cache
def _converters(vendor: str) -> list[Converter]:
    found: list[Converter] = []
    for index, field in enumerate(_FIELDS):
        column = Col(Task._meta.db_table, field)
        of_column = [*connection.ops.get_db_converters(column), *field.get_db_converters(connection)]  # type: ignore[attr-defined]
        found += [(index, convert, column) for convert in of_column]
    return found
