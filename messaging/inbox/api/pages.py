"""Keyset pages by the number of a message: each item exactly once, whatever arrives meanwhile."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Model, QuerySet

from workforce.cursors import decode_cursor, encode_cursor
from workforce.errors import InvalidCursor

Row = TypeVar("Row", bound=Model)


def position_of(scope: str, cursor: str | None) -> int | None:
    """The number after which the page starts; None without a cursor. Raises InvalidCursor."""
    if cursor is None:
        return None
    match decode_cursor(scope, cursor):
        case [int(number)]:
            return number
    raise InvalidCursor


def cursor_at(scope: str, number: int) -> str:
    """The cursor of the page that starts after this number."""
    return encode_cursor(scope, [number])


def seq_page(
    rows: QuerySet[Row], *, scope: str, limit: int, cursor: str | None, ascending: bool, by: str = "seq"
) -> tuple[list[Row], str | None]:
    """The rows of a page, and the cursor of the next one. ``by`` is the column's path; its value is unique."""
    start = position_of(scope, cursor)
    if start is not None:
        rows = rows.filter(**{f"{by}__{'gt' if ascending else 'lt'}": start})
    found = list(rows.order_by(by if ascending else f"-{by}")[: limit + 1])
    if len(found) <= limit:
        return found, None
    return found[:limit], cursor_at(scope, getattr(found[limit - 1], by.rpartition("__")[2]))
