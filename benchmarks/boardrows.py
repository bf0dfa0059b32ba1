"""Boards of many rows for the measurements, and processes that take them."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.serving import ROOT, manage

SEED = """
from boards.models import Board
from workforce.models import Organization
organization = Organization.objects.get(slug="default")
for name in ("small", "large", "waiting", "rush"):
    Board.objects.create(organization=organization, board_id=f"bench.desk.{name}", mailbox_id="bench.desk", name=name)
"""
#: Rows of a board by SQL: a million by the ORM would take longer than everything that is measured.
ROWS = """
INSERT INTO boards_task (board_id, task_id, goal, title, context, status, assignee, priority, rank, attempts,
    max_attempts, abandonments, unmet, labels, input, output, error, feedback, metadata, author, created_by, run,
    retry_of, revision, created_at, updated_at, started_at, completed_at, claim_number, claimed_by, lease_seconds,
    lease_until, settled_with, follow_up_of)
SELECT board.id, 'task_' || %(prefix)s || n, 'Row number ' || n, '', '', %(status)s, '', NULL, 0, 0,
    NULL, 0, %(unmet)s, '[]', NULL, NULL, '', '', '{}', '', 'bench', NULL,
    '', 1, now() - interval '1 day' + n * interval '1 millisecond', now(), NULL,
    CASE WHEN %(status)s::varchar IN ('completed', 'errored', 'cancelled') THEN now() - interval '2 hours' END,
    0, '', 0, NULL, '', ''
FROM boards_board board, generate_series(1, %(count)s) n WHERE board.board_id = %(board)s
"""
BARE = """
CREATE TABLE bench_row (id bigserial PRIMARY KEY, status varchar(16) NOT NULL, rank double precision NOT NULL,
    created_at timestamptz NOT NULL, attempts integer NOT NULL, claimed_by varchar(200) NOT NULL,
    lease_until timestamptz);
CREATE INDEX bench_ready ON bench_row (rank DESC, created_at, id) WHERE status = 'pending';
INSERT INTO bench_row (status, rank, created_at, attempts, claimed_by)
SELECT 'pending', 0, now() + n * interval '1 millisecond', 0, '' FROM generate_series(1, %(count)s) n
"""


def connect(url: str) -> Any:
    """A connection beside Django's, which commits each statement."""
    import psycopg

    return psycopg.connect(url.replace("postgres://", "postgresql://"), autocommit=True)


def prepare(env: dict[str, str], url: str) -> None:
    """A migrated database with the boards, still empty."""
    manage(env, "migrate", "--verbosity", "0")
    manage(env, "organization", "create", "default")
    manage(env, "shell", "--verbosity", "0", "-c", SEED)


def add_rows(url: str, board: str, count: int, *, status: str, unmet: int = 0) -> None:
    """So many rows on a board."""
    with connect(url) as connection:
        values = {
            "board": board,
            "count": count,
            "status": status,
            "unmet": unmet,
            "prefix": f"{status}{unmet}_",
        }
        connection.execute(ROWS, values)


class Taker:
    """A process that runs ``benchmarks.taking`` and does what it is told, line by line."""

    def __init__(self, env: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.taking"], cwd=ROOT, env=env, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert self.answer() == "ready"

    def tell(self, **order: Any) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()

    def answer(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=20)


@contextmanager
def takers(env: dict[str, str], number: int) -> Iterator[list[Taker]]:
    """So many processes that are ready to take rows."""
    started = [Taker(env) for _ in range(number)]
    try:
        yield started
    finally:
        for taker in started:
            taker.stop()


def in_all(some: list[Taker], **order: Any) -> list[Any]:
    """Give all the same order, to begin at one moment, and gather what each answers."""
    begin = time.time() + 0.1
    for taker in some:
        taker.tell(begin=begin, **order)
    return [taker.answer() for taker in some]
