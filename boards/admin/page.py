"""What a board's page shows: its columns, filtered. See docs/admin.md."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest, QueryDict

from boards.admin.cards import LARGE, Card, cards_of
from boards.admin.columns import COLUMNS, Column, column_named
from boards.models import Board, Task, TaskLabel
from boards.selectors.figures import board_figures
from boards.selectors.workers import worker_keys
from workforce import clock
from workforce.admin.shown import when

#: How many cards a column shows beside the others, and alone.
SHOWN, SHOWN_ALONE = 20, 100
_LARGEST = 2**63 - 1
AGES = {
    "under-day": ("up to a day old", timedelta(days=1), False),
    "over-hour": ("over an hour old", timedelta(hours=1), True),
    "over-day": ("over a day old", timedelta(days=1), True),
    "over-week": ("over a week old", timedelta(days=7), True),
}


@dataclass(frozen=True, slots=True)
class Filters:
    """What the page was asked for; what it does not know counts as nothing."""

    assignee: str = ""
    label: str = ""
    age: str = ""
    unassigned: bool = False
    only: Column | None = None
    before: int | None = None

    @classmethod
    def of(cls, data: QueryDict) -> Filters:
        """Read a query."""
        texts = {name: data.get(name, "")[:200] for name in ("assignee", "label", "age")}
        before = data.get("before", "")
        number = int(before) if before.isascii() and before.isdigit() and len(before) < 20 else 0
        only = column_named(data.get("only", ""))
        unassigned = data.get("unassigned") == "yes"
        return cls(
            **texts,
            unassigned=unassigned,
            only=only,
            before=number if only and 0 < number <= _LARGEST else None,
        )

    @property
    def are_set(self) -> bool:
        return bool(self.assignee or self.label or self.age or self.unassigned)

    def query(self, **more: Any) -> str:
        """The filters as a query, with these added."""
        unassigned = "yes" if self.unassigned else ""
        kept = {"assignee": self.assignee, "label": self.label, "age": self.age, "unassigned": unassigned}
        asked = {name: value for name, value in {**kept, **more}.items() if value}
        return "?" + urlencode(asked)

    def narrow(self, rows: QuerySet[Task]) -> QuerySet[Task]:
        """The rows that fit."""
        if self.assignee:
            # both: a partial index is chosen by its words
            rows = rows.filter(~Q(assignee=""), assignee=self.assignee)
        if self.unassigned:
            rows = rows.filter(assignee="")
        if self.label:
            rows = rows.filter(Exists(TaskLabel.objects.filter(task=OuterRef("pk"), label=self.label)))
        if self.age in AGES:
            _, span, older = AGES[self.age]
            rows = rows.filter(**{"created_at__lte" if older else "created_at__gt": clock.now() - span})
        return rows


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A column with its newest cards; ``more`` is the address of the rest, ``total`` counts the whole board."""

    column: Column
    cards: list[Card]
    total: int
    more: str


def page_context(request: HttpRequest, board: Board) -> dict[str, Any]:
    """The context of the board's page, in a constant number of queries."""
    filters = Filters.of(request.GET)
    figures, workers = board_figures([board])[board.pk], worker_keys(board)
    columns = _columns(board, filters, figures["counts"], workers, back=request.get_full_path())
    return {
        "filters": filters,
        "ages": {name: words for name, (words, _, _) in AGES.items()},
        "workers": sorted(workers),
        "figures": figures,
        "oldest_ready": moment(figures["oldest_ready"]),
        "oldest_held": moment(figures["oldest_held"]),
        "columns": columns,
        "everything": filters.query(),
    }


def moment(milliseconds: int | None) -> str:
    """The age of a moment of the figures."""
    return when(None if milliseconds is None else clock.from_ms(milliseconds))


def _columns(
    board: Board, filters: Filters, counts: dict[str, int], workers: Collection[str], *, back: str
) -> list[ShownColumn]:
    shown = [filters.only] if filters.only else COLUMNS
    limit = SHOWN_ALONE if filters.only else SHOWN
    rows = filters.narrow(Task.objects.filter(board=board)).defer(*LARGE)
    rows = _before(board, rows, filters.before)
    found = {column.name: _newest(rows, column, limit + 1) for column in shown}
    every = [task for tasks in found.values() for task in tasks[:limit]]
    cards = {card.task.pk: card for card in cards_of(every, workers=workers, back=back)}
    return [
        ShownColumn(
            column=column,
            cards=[cards[task.pk] for task in found[column.name][:limit]],
            total=sum(counts[status] for status in column.statuses),
            more=_more(filters, column, found[column.name], limit),
        )
        for column in shown
    ]


def _newest(rows: QuerySet[Task], column: Column, limit: int) -> list[Task]:
    """The newest rows of a column: each status is read from its own place in the index."""
    found = [
        task
        for status in column.statuses
        for task in rows.filter(status=status).order_by("-created_at", "-id")[:limit]
    ]
    return sorted(found, key=lambda task: (task.created_at, task.pk), reverse=True)[:limit]


def _before(board: Board, rows: QuerySet[Task], pk: int | None) -> QuerySet[Task]:
    """Those older than the row of this key; a key of no row of the board counts as none."""
    last = Task.objects.filter(board=board, pk=pk).only("created_at").first() if pk else None
    if last is None:
        return rows
    at = last.created_at
    return rows.filter(Q(created_at__lt=at) | Q(created_at=at, pk__lt=last.pk), created_at__lte=at)


def _more(filters: Filters, column: Column, found: list[Task], limit: int) -> str:
    if len(found) <= limit:
        return ""
    return filters.query(only=column.name, before=found[limit - 1].pk if filters.only else None)
