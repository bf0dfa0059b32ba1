"""Claims on PostgreSQL against a bare SELECT … FOR UPDATE SKIP LOCKED + UPDATE in Django, and on boards of other sizes.

Run: python -m benchmarks.claiming [--rounds 5] [--seconds 2] [--large 1000000]. Rounds alternate, so that a slow
moment of the machine meets both; a ratio is how many times the baseline's cost. The baseline writes a narrow
table of its own with one index, and no history.
"""

from __future__ import annotations

import argparse

from benchmarks.boardrows import BARE, Taker, add_rows, connect, in_all, prepare, takers
from benchmarks.serving import database, environment, median

#: More than can be taken in one round.
READY = 30_000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--large", type=int, default=1_000_000)
    options = parser.parse_args()
    with database("postgres") as url:
        env = environment(url)
        prepare(env, url)
        add_rows(url, "bench.desk.rush", READY, status="pending")
        with connect(url) as connection:
            connection.execute(BARE.replace("%(count)s", str(READY)))
        measure_rates(env, url, options)
        measure_sizes(env, url, options)


def measure_rates(env: dict[str, str], url: str, options: argparse.Namespace) -> None:
    print("workers  bare/s  claims/s  ratio (min–max)")
    with takers(env, 8) as processes:
        for number in (1, 4, 8):
            pairs = []
            for _ in range(options.rounds + 1):
                bare = rate(url, processes[:number], options.seconds, what="bare")
                ours = rate(url, processes[:number], options.seconds, what="claims", board="bench.desk.rush")
                pairs.append((bare, ours))
            pairs = pairs[1:]  # the first round warms both up
            ratios = [bare / ours for bare, ours in pairs]
            print(
                f"{number:7} {median([bare for bare, _ in pairs]):7.0f} {median([ours for _, ours in pairs]):9.0f}  "
                f"{median(ratios):.2f} ({min(ratios):.2f}–{max(ratios):.2f})",
                flush=True,
            )


def rate(url: str, processes: list[Taker], seconds: float, **order: str) -> float:
    """Rows taken per second by all of them; then every row is ready again."""
    taken = sum(in_all(processes, seconds=seconds, **order))
    with connect(url) as connection:
        for table in ("bench_row", "boards_task"):
            connection.execute(f"UPDATE {table} SET status = 'pending' WHERE status = 'in_progress'")
            connection.execute(f"VACUUM ANALYZE {table}")
        connection.execute("TRUNCATE boards_taskevent")
    return taken / seconds


def measure_sizes(env: dict[str, str], url: str, options: argparse.Namespace) -> None:
    """Claims and lists on a board of 1,000 rows, on one of a million, and on one where nearly all must wait."""
    small, large, waiting = (f"bench.desk.{name}" for name in ("small", "large", "waiting"))
    for board, rows in ((small, 1_000), (large, options.large)):
        add_rows(url, board, rows - 100, status="completed")
        add_rows(url, board, 100, status="pending")
    add_rows(url, waiting, 100_000, status="pending", unmet=1)
    add_rows(url, waiting, 10, status="pending")
    with connect(url) as connection:
        connection.execute("VACUUM ANALYZE boards_task")
    with takers(env, 1) as processes:
        (costs,) = in_all(
            processes, what="costs", boards=[small, large, waiting], rounds=100 * options.rounds
        )
    print("\nboard                          claim ms  ratio  list ms  ratio")
    for board, words in (
        (small, "1,000 rows, 100 ready"),
        (large, f"{options.large:,} rows, 100 ready"),
        (waiting, "10 ready behind 100,000"),
    ):
        claim, listed = costs[board]["claim"], costs[board]["list"]
        print(
            f"{words:30} {claim:8.2f} {claim / costs[small]['claim']:6.2f} {listed:8.2f} "
            f"{listed / costs[small]['list']:6.2f}"
        )


if __name__ == "__main__":
    main()
