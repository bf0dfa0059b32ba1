"""Pages of a session's items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from workforce.cursors import decode_cursor, encode_cursor
from workforce.models import Item, Session


@dataclass(frozen=True, slots=True)
class ItemPage:
    """Which page: after or before a number, or where a cursor left off. Without any, from the start."""

    after: int | None
    before: int | None
    cursor: str | None
    limit: int


def page_of_items(
    items: QuerySet[Item], *, session: Session, page: ItemPage, shape: Callable[[Item], dict[str, Any]]
) -> dict[str, Any]:
    """One page in order, with where the next begins and the session's last number.

    With ``before`` alone the page ends just before that number, and the next one lies further back.
    Raises InvalidCursor.
    """
    scope = f"items:{session.pk}"
    after, before = page.after, page.before
    backwards = before is not None and after is None
    if page.cursor is not None:
        direction, seq = decode_cursor(scope, page.cursor)
        backwards = direction == "back"
        after, before = (after, seq) if backwards else (seq, before)
    if after is not None:
        items = items.filter(seq__gt=after)
    if before is not None:
        items = items.filter(seq__lt=before)
    rows = list(items.order_by("-seq" if backwards else "seq")[: page.limit + 1])
    shown = rows[: page.limit]
    answer: dict[str, Any] = {"items": [shape(item) for item in (reversed(shown) if backwards else shown)]}
    if len(rows) > page.limit:
        answer["nextCursor"] = encode_cursor(scope, ["back" if backwards else "on", shown[-1].seq])
    answer["lastSeq"] = session.item_seq
    return answer
