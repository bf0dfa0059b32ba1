"""Writing rows: several statements in one way to the database, and very many rows at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from django.db import connection
from django.db.models import AutoField, Field, Model

_BATCH = 1000


#: A statement that writes, and its parameters.
Write = tuple[str, list[Any]]


def write_together(writes: Sequence[Write]) -> list[int]:
    """Run the statements in their order; on PostgreSQL in one way to the database and back.

    Returns how many rows each wrote. What they write is locked until the transaction ends, so each way less is time
    that others do not wait.
    """
    if not writes:
        return []
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "; ".join(text for text, _ in writes), list(chain(*(params for _, params in writes)))
            )
            counts = [int(cursor.rowcount)]
            while cursor.nextset():
                counts.append(int(cursor.rowcount))
            return counts
        return [int(cursor.execute(text, params).rowcount) for text, params in writes]


def execute(text: str, params: Sequence[Any]) -> int:
    """Run a statement that writes; how many rows it wrote."""
    return write_together([(text, list(params))])[0]


def adapted(model: type[Model], name: str, value: Any) -> Any:
    """A value of the model's column as the database takes it."""
    return model._meta.get_field(name).get_db_prep_value(value, connection)  # type: ignore[union-attr]


def marks(values: Collection[object]) -> str:
    """The placeholders of as many values."""
    return ", ".join(["%s"] * len(values))


def updating(instance: Model, names: Sequence[str]) -> Write:
    """What ``save(update_fields=names)`` would write of the row."""
    fields = [field for field in instance._meta.concrete_fields if field.attname in set(names)]
    assert len(fields) == len(set(names)), names
    quote, key = connection.ops.quote_name, instance._meta.pk
    assert key is not None
    sets = ", ".join(f"{quote(field.column)} = %s" for field in fields)
    text = f"UPDATE {quote(instance._meta.db_table)} SET {sets} WHERE {quote(key.column)} = %s"  # noqa: S608
    return text, _values(instance, [*fields, key])


def insertions(instances: Sequence[Model]) -> Iterator[Write]:
    """What ``bulk_create`` would write of rows of one model, whose keys are set or the database's."""
    if not instances:
        return
    fields = [field for field in instances[0]._meta.concrete_fields if not isinstance(field, AutoField)]
    into, marks = _into(instances[0], fields)
    for batch in batches(instances, _BATCH):
        for instance in batch:
            instance._state.adding, instance._state.db = False, connection.alias
        values = [value for instance in batch for value in _values(instance, fields)]
        yield f"{into}{', '.join([marks] * len(batch))}", values


def _values(instance: Model, fields: Sequence[Field[Any, Any]]) -> list[Any]:
    return [field.get_db_prep_save(getattr(instance, field.attname), connection) for field in fields]


def _into(model: Model, fields: Sequence[Field[Any, Any]]) -> tuple[str, str]:
    """What an insert of these columns begins with, and the marks of a row. Only the model's own names are in it."""
    quote = connection.ops.quote_name
    names = [quote(field.column) for field in fields]
    into = f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(names)}) VALUES "  # noqa: S608
    return into, f"({', '.join(['%s'] * len(names))})"


def insert_copies(
    *,
    prototype: Model,
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    ignore_conflicts: bool = False,
) -> None:
    """Insert a copy of the unsaved ``prototype`` for each row, whose values differ in ``columns``.

    What ``bulk_create`` would write, without an instance for each row, which is most of what a large load costs.
    ``columns`` are names of the model's attributes (``organization_id``), in the order of the values. A row that
    breaks a unique constraint is an IntegrityError, or passed over with ``ignore_conflicts``.
    """
    into, marks, values = _copies(prototype, columns, rows)
    ending = " ON CONFLICT DO NOTHING" if ignore_conflicts else ""
    with connection.cursor() as cursor:
        for batch in batches(values, _BATCH):
            if connection.vendor == "sqlite":
                cursor.executemany(f"{into}{marks}{ending}", batch)
            else:  # there each execution is a message to the server
                cursor.execute(f"{into}{', '.join([marks] * len(batch))}{ending}", list(chain(*batch)))


def copies(*, prototype: Model, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[Write]:
    """The statements of ``insert_copies``, to be run together with others."""
    into, marks, values = _copies(prototype, columns, rows)
    for batch in batches(values, _BATCH):
        yield f"{into}{', '.join([marks] * len(batch))}", list(chain(*batch))


def _copies(
    prototype: Model, columns: Sequence[str], rows: Iterable[Sequence[object]]
) -> tuple[str, str, Iterator[tuple[Any, ...]]]:
    """What each statement begins with, the marks of a row, and the values of each row."""
    fields = {field.attname: field for field in prototype._meta.concrete_fields if not field.primary_key}
    varying = [fields.pop(column) for column in columns]
    shared = [
        field.get_db_prep_save(getattr(prototype, field.attname), connection) for field in fields.values()
    ]
    values = (
        (
            *(field.get_db_prep_save(value, connection) for field, value in zip(varying, row, strict=True)),
            *shared,
        )
        for row in rows
    )
    into, marks = _into(prototype, [*varying, *fields.values()])
    return into, marks, values


def batches(rows: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """The rows in lists of at most ``size``."""
    batch: list[Any] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
