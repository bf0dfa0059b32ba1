"""Writing very many rows at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from django.db import connection
from django.db.models import Model

_BATCH = 1000


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
    ending = " ON CONFLICT DO NOTHING" if ignore_conflicts else ""
    _insert(prototype, [field.column for field in (*varying, *fields.values())], values, ending)


def _insert(model: Model, columns: Sequence[str], rows: Iterable[tuple[Any, ...]], ending: str) -> None:
    # Nothing but the model's own names is put into the text.
    quote = connection.ops.quote_name
    into = f"INSERT INTO {quote(model._meta.db_table)} ({', '.join(map(quote, columns))}) VALUES "  # noqa: S608
    marks = f"({', '.join(['%s'] * len(columns))})"
    with connection.cursor() as cursor:
        for batch in batches(rows, _BATCH):
            if connection.vendor == "sqlite":
                cursor.executemany(f"{into}{marks}{ending}", batch)
            else:  # there each execution is a message to the server
                cursor.execute(f"{into}{', '.join([marks] * len(batch))}{ending}", list(chain(*batch)))


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
