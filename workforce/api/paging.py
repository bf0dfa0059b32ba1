"""Keyset pages and strict filters over querysets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import django_filters
from django.db.models import F, Model, QuerySet
from django.db.models.fields.tuple_lookups import Tuple, TupleGreaterThan, TupleLessThan

from workforce.cursors import decode_cursor, encode_cursor
from workforce.errors import InvalidInput

Row = TypeVar("Row", bound=Model)


def filter_strictly(
    filterset: type[django_filters.FilterSet], params: Mapping[str, Any], rows: QuerySet[Row]
) -> QuerySet[Row]:
    """The rows that pass the filters of the query. Raises InvalidInput naming each bad value."""
    for name, declared in filterset.base_filters.items():
        if isinstance(declared, django_filters.ChoiceFilter) and params.get(name) == "":
            raise InvalidInput.at(name, "is empty; name a value or leave it out")
    bound = filterset(params, queryset=rows)
    if not bound.is_valid():
        errors = [
            {"path": path, "message": str(message)}
            for path, found in bound.errors.items()
            for message in found
        ]
        raise InvalidInput(
            "; ".join(f"{entry['path']}: {entry['message']}" for entry in errors), errors=errors
        )
    filtered: QuerySet[Row] = bound.qs
    return filtered


def page(
    rows: QuerySet[Row],
    *,
    scope: str,
    by: str,
    limit: int,
    cursor: str | None,
    shape: Callable[[Row], Any],
    ascending: bool = False,
    encode: Callable[[Any], Any] = lambda value: value,
    decode: Callable[[Any], Any] = lambda value: value,
) -> dict[str, Any]:
    """One page by the column ``by`` and then by key, largest first: each row exactly once under arrivals.

    ``ascending`` turns the order round; a cursor belongs to one order, so ``scope`` must tell them apart.
    ``encode`` and ``decode`` turn the column's value into JSON and back. Raises InvalidCursor.
    """
    if cursor is not None:
        value, key = decode_cursor(scope, cursor)
        last = decode(value)
        after = "gt" if ascending else "lt"
        beyond = TupleGreaterThan if ascending else TupleLessThan
        # Both say where the page begins. PostgreSQL finds it in the index by the pair, also among many that are
        # equal in the column; SQLite, for which Django takes the pair apart, by the column alone.
        rows = rows.filter(beyond(Tuple(F(by), F("pk")), (last, key)), **{f"{by}__{after}e": last})
    order = (by, "pk") if ascending else (f"-{by}", "-pk")
    found = list(rows.order_by(*order)[: limit + 1])
    answer: dict[str, Any] = {"items": [shape(row) for row in found[:limit]]}
    if len(found) > limit:
        end = found[limit - 1]
        answer["nextCursor"] = encode_cursor(scope, [encode(getattr(end, by)), end.pk])
    return answer
