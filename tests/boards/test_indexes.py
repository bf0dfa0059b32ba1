"""Each list and lookup that a board of a million rows answers has its index, on either database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from boards.models import Task
from boards.selectors.figures import ended_between
from boards.selectors.tasks import find_retry
from boards.transitions import Status
from tests.boards.ledgers import Ledger
from workforce import clock
from workforce.api.paging import page
from workforce.cursors import encode_cursor

COLUMNS = {"created_at": "task_newest", "updated_at": "task_by_change", "rank": "task_by_rank"}


@pytest.fixture
def plan(ledger: Ledger) -> Callable[[Callable[[], Any]], str]:
    """How the database answers the queries of a call; PostgreSQL must be told that the table is not small."""
    ledger.row_in(Status.COMPLETED)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL enable_sort = off")
    asked: list[str] = []

    def explained(call: Callable[[], Any]) -> str:
        def explain(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            with connection.cursor() as cursor:
                word = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
                cursor.cursor.execute(f"{word} {sql}", params)
                asked.extend(str(row) for row in cursor.cursor.fetchall())
            return execute(sql, params, many, context)

        with connection.execute_wrapper(explain):
            call()
        return "\n".join(asked)

    return explained


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("after", [None, "a page"])
@pytest.mark.parametrize("column", COLUMNS)
def test_list__in_every_order_is_a_range_of_an_index(
    ledger: Ledger, plan: Callable[..., str], column: str, after: str | None, ascending: bool
) -> None:
    cursor = encode_cursor("x", [clock.now().isoformat() if column != "rank" else 0.0, 5]) if after else None
    found = plan(
        lambda: page(
            Task.objects.filter(board=ledger.board), scope="x", by=column, ascending=ascending, limit=50,
            cursor=cursor, shape=str, decode=lambda value: value,
        )
    )  # fmt: skip
    assert COLUMNS[column] in found, found
    assert "sort" not in found.lower() and "temp b-tree" not in found.lower(), found


def test_retry__finds_what_repeats_a_row(ledger: Ledger, plan: Callable[..., str]) -> None:
    found = plan(lambda: find_retry(ledger.board, "task_x"))
    assert "task_by_retried" in found, found


def test_tally__reads_what_ended_in_a_time(ledger: Ledger, plan: Callable[..., str]) -> None:
    found = plan(lambda: ended_between(ledger.board, clock.EPOCH, clock.now()))
    assert "task_ended" in found, found
