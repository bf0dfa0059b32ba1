"""Pages of what a session shows, by number: no counting, no skipping, however long it is."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import HttpRequest

from workforce.models import Item

PAGE = 50
_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class SeqPage:
    """The rows of one page, oldest first, and the ``before`` of the pages beside it; None when there is none."""

    rows: list[Item]
    earlier: int | None
    later: int | None
    first: int
    last: int

    @property
    def is_newest(self) -> bool:
        return self.later is None


def seq_page(request: HttpRequest, items: QuerySet[Item], *, column: str, last: int) -> SeqPage:
    """The page that ends before ``?before=``, else the newest one.

    ``column`` numbers the items of one session from 1 without gaps up to ``last``, so that a page is a range
    of its index. A ``before`` that is no number of the session counts as none.
    """
    before = _number(request.GET.get("before", ""))
    end = last if before is None or before > last else before - 1
    start = max(1, end - PAGE + 1)
    found = items.filter(**{f"{column}__gte": start, f"{column}__lte": end}).order_by(column)
    return SeqPage(
        rows=list(found),
        earlier=start if start > 1 else None,
        later=min(end + PAGE, last) + 1 if end < last else None,
        first=start,
        last=end,
    )


def _number(text: str) -> int | None:
    if not text.isascii() or not text.isdigit() or len(text) > 19:
        return None
    return number if 2 <= (number := int(text)) <= _LARGEST else None
