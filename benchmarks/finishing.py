"""Rows taken, and taken and completed, on PostgreSQL against procrastinate, whose jobs do nothing.

Run: python -m benchmarks.finishing [--rounds 5] [--seconds 2]; it needs the extra ``bench``. Both work on one
server with processes of their own, and rounds alternate, so that a slow moment of the machine meets both. The
baseline is the library's own manager of jobs, without the worker around it: one process does what its worker does
for a job, over one connection. Both keep a history: its triggers write a line per change, as our services do.
"""

from __future__ import annotations

import argparse

from benchmarks.boardrows import Taker, add_rows, connect, in_all, prepare, takers
from benchmarks.serving import database, environment, median

BOARD = "bench.desk.rush"
#: More than can be finished in one round.
READY = 20_000
JOBS = """
INSERT INTO procrastinate_jobs (queue_name, task_name, priority, args, status, attempts)
SELECT 'bench', 'nothing', 0, '{}', 'todo', 0 FROM generate_series(1, %(count)s)
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    options = parser.parse_args()
    with database("postgres") as url:
        env = environment(url)
        prepare(env, url)
        prepare_jobs(url)
        measure(env, url, options)


def prepare_jobs(url: str) -> None:
    """The library's own tables, still empty."""
    from procrastinate.schema import SchemaManager

    with connect(url) as connection:
        connection.execute(SchemaManager.get_schema())


def measure(env: dict[str, str], url: str, options: argparse.Namespace) -> None:
    print(
        "workers  jobs/s  claims/s  ratio (min–max)  claimed and completed/s  ratio (min–max)   above 1: more than jobs"
    )
    with takers(env, 8) as processes:
        for number in (1, 4, 8):
            some = processes[:number]
            found = []
            for _ in range(options.rounds + 1):
                jobs = rate(url, some, options.seconds, what="jobs")
                claims = rate(url, some, options.seconds, what="claims", board=BOARD)
                rows = rate(url, some, options.seconds, what="finished", board=BOARD)
                found.append((jobs, claims, rows))
            found = found[1:]  # the first round warms them up
            print(
                f"{number:7} {median([jobs for jobs, _, _ in found]):7.0f}"
                f" {median([claims for _, claims, _ in found]):9.0f}  {_ratio([c / j for j, c, _ in found])}"
                f" {median([rows for _, _, rows in found]):22.0f}  {_ratio([r / j for j, _, r in found])}",
                flush=True,
            )


def _ratio(ratios: list[float]) -> str:
    return f"{median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})"


def rate(url: str, processes: list[Taker], seconds: float, **order: str) -> float:
    """Finished per second by all of them, each time from fresh tables."""
    with connect(url) as connection:
        connection.execute("TRUNCATE boards_task, procrastinate_jobs CASCADE")
        connection.execute("SET session_replication_role = replica")  # no line of history for the seeding
        connection.execute(JOBS, {"count": READY})
    add_rows(url, BOARD, READY, status="pending")
    with connect(url) as connection:
        connection.execute("VACUUM ANALYZE boards_task, procrastinate_jobs")
    return float(sum(in_all(processes, seconds=seconds, **order))) / seconds


if __name__ == "__main__":
    main()
