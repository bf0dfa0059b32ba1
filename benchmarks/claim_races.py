"""Races of claims on PostgreSQL: callers in processes of their own, one ready row, exactly one winner each.

Run: python -m benchmarks.claim_races [--races 10000] [--callers 8] [--every 0.05]. Each race has a board of its own
with one row; the callers go from board to board at the same moments.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from benchmarks.boardrows import ROWS, connect, in_all, prepare, takers
from benchmarks.serving import database, environment

BATCH = 100
BOARDS = [f"bench.races.b{number}" for number in range(BATCH)]
MAKE = """
INSERT INTO boards_board (organization_id, board_id, mailbox_id, name, actions, live, created_at)
SELECT id, %(board)s, 'bench.races', 'race', false, true, now() FROM workforce_organization
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--races", type=int, default=10_000)
    parser.add_argument("--callers", type=int, default=8)
    parser.add_argument("--every", type=float, default=0.05)
    options = parser.parse_args()
    with database("postgres") as url:
        env = environment(url)
        prepare(env, url)
        started = time.perf_counter()
        wrong, lost = run_races(env, url, options)
    print(
        f"{options.races} races of {options.callers} callers in {time.perf_counter() - started:.0f} s: "
        f"{options.races - len(wrong)} with exactly one winner, {lost} claims found nothing"
    )
    if wrong:
        raise SystemExit(f"races with another number of winners: {wrong[:20]}")


def run_races(
    env: dict[str, str], url: str, options: argparse.Namespace
) -> tuple[list[tuple[str, int]], int]:
    """Each race that had another number of winners than one, with that number; and how many claims lost."""
    wrong, lost = [], 0
    with takers(env, options.callers) as callers, connect(url) as connection:
        for board in BOARDS:
            connection.execute(MAKE, {"board": board})
            row = {"board": board, "count": 1, "status": "pending", "unmet": 0, "prefix": "race"}
            connection.execute(ROWS, row)
        for start in range(0, options.races, BATCH):
            boards = BOARDS[: min(BATCH, options.races - start)]
            won = in_all(callers, what="race", boards=boards, every=options.every)
            winners = Counter(board for some in won for board in some)
            wrong += [(board, winners[board]) for board in boards if winners[board] != 1]
            lost += options.callers * len(boards) - winners.total()
            connection.execute("UPDATE boards_task SET status = 'pending', lease_until = NULL")
            connection.execute("TRUNCATE boards_taskevent")
            connection.execute("VACUUM boards_task")
    return wrong, lost


if __name__ == "__main__":
    main()
