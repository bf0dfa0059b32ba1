"""What a claim that found nothing waits for."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import datetime

from django.db.models import Subquery
from django.db.models.functions import Coalesce

from boards.models import Board
from boards.selectors.ready import ORDER, Wanted, lapsed_tasks, pending_tasks
from workforce import clock

SORT = "ready"
#: The version of the topic when there is nothing; else it is the number of rows, as far as they were counted.
NONE_READY = "0"
#: So many of a board's ready rows are counted; when there are more, so many kinds of claims are asked for at once.
COUNTED_ROWS, LOOKS = 100, 100


def ready_topic(board: Board, wanted: Wanted) -> str:
    """The topic of how many rows are ready for such a claim."""
    key = json.dumps([board.pk, wanted.assignee, list(wanted.labels)], separators=(",", ":"))
    return f"{SORT}:{key.encode().hex()}"


def read_ready(keys: list[str]) -> dict[str, str]:
    """For each waiting claim, how many rows are ready for it now: two short queries for all claims of a board.

    A third is for those that find nothing among the first of many ready rows. A lapsed lease makes a row ready
    by itself, so this asks the rows and trusts no notice.
    """
    moment = clock.now()
    boards: dict[int, dict[str, Wanted]] = defaultdict(dict)
    for key in keys:
        pk, assignee, labels = json.loads(bytes.fromhex(key))
        boards[pk][key] = Wanted(assignee=assignee, labels=tuple(labels))
    versions: dict[str, str] = {}
    for pk, claims in boards.items():
        versions |= _ready_on(Board(pk=pk), claims, moment)
    return versions


def _ready_on(board: Board, claims: dict[str, Wanted], moment: datetime) -> dict[str, str]:
    found, is_all = _first_ready(board, moment)
    counts = {
        key: sum(_takes(wanted, assignee, labels) for assignee, labels in found)
        for key, wanted in claims.items()
    }
    if not is_all:  # a row may be ready behind many that are for others
        missed = [key for key, count in counts.items() if not count]
        for start in range(0, len(missed), LOOKS):
            some = {key: claims[key] for key in missed[start : start + LOOKS]}
            counts |= dict.fromkeys(_served(board, some, moment), 1)
    return {key: str(count) for key, count in counts.items()}


def _first_ready(board: Board, moment: datetime) -> tuple[list[tuple[str, frozenset[str]]], bool]:
    """For whom the first ready rows of the board are, and whether these are all."""
    pending = pending_tasks(board, Wanted()).order_by(*ORDER)
    lapsed = lapsed_tasks(board, Wanted(), moment).order_by("lease_until")
    parts = [list(rows.values_list("assignee", "labels")[:COUNTED_ROWS]) for rows in (pending, lapsed)]
    found = [(assignee, frozenset(labels)) for rows in parts for assignee, labels in rows]
    return found, all(len(rows) < COUNTED_ROWS for rows in parts)


def _served(board: Board, claims: dict[str, Wanted], moment: datetime) -> list[str]:
    """Those of the claims that a row is ready for, in one query."""
    looks = {f"look{n}": _look(board, wanted, moment) for n, wanted in enumerate(claims.values())}
    row = Board.objects.filter(pk=board.pk).order_by().annotate(**looks).values_list(*looks).first()
    return [key for key, found in zip(claims, row or (), strict=False) if found is not None]


def _look(board: Board, wanted: Wanted, moment: datetime) -> Coalesce:
    """The first row that such a claim could take.

    The order costs nothing and names the index: PostgreSQL answers a bare EXISTS by reading the whole table
    when it takes open rows for frequent, and there are none.
    """
    pending = pending_tasks(board, wanted).order_by(*ORDER)
    lapsed = lapsed_tasks(board, wanted, moment).order_by("lease_until")
    return Coalesce(Subquery(pending.values("pk")[:1]), Subquery(lapsed.values("pk")[:1]))


def _takes(wanted: Wanted, assignee: str, labels: frozenset[str]) -> bool:
    """Whether a claim is for a row with these."""
    return wanted.assignee in ("", assignee) and labels.issuperset(wanted.labels)
