"""A process that takes rows: reads an order a line, answers with a line. Run by the measurements of claims."""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from typing import Any


def main() -> None:
    import django

    django.setup()
    orders = {
        "claims": count_claims,
        "finished": count_finished,
        "jobs": count_jobs,
        "bare": count_bare,
        "costs": measure_costs,
        "race": race,
    }
    _say("ready")
    for line in sys.stdin:
        order = json.loads(line)
        what = orders[order.pop("what")]
        time.sleep(max(0, order.pop("begin") - time.time()))
        _say(what(**order))


def _say(answer: Any) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def _board(board_id: str) -> Any:
    from boards.models import Board

    return Board.objects.get(board_id=board_id)


def _count(take: Callable[[], Any], seconds: float) -> int:
    ends, taken = time.perf_counter() + seconds, 0
    while time.perf_counter() < ends:
        if take() is None:
            raise SystemExit("no row was left to take; seed more")
        taken += 1
    return taken


def count_claims(board: str, seconds: float) -> int:
    """How many rows the service gives in so many seconds."""
    from boards.hands import Hand
    from boards.services.claiming import claim_next

    found, worker = _board(board), f"w{os.getpid()}"
    hand = Hand(principal="bench", passname=worker)
    return _count(lambda: claim_next(board=found, worker=worker, by=hand), seconds)


def count_finished(board: str, seconds: float) -> int:
    """How many rows are taken and completed in so many seconds."""
    from boards.hands import Hand
    from boards.services.claiming import claim_next
    from boards.services.settling import complete_task

    found, worker = _board(board), f"w{os.getpid()}"
    hand = Hand(principal="bench", passname=worker)

    def finish() -> Any:
        claimed = claim_next(board=found, worker=worker, by=hand)
        if claimed is None:
            return None
        task, ticket = claimed
        return complete_task(board=found, task_id=task.task_id, by=hand, output=None, ticket=ticket)

    return _count(finish, seconds)


def count_jobs(seconds: float) -> int:
    """The same with procrastinate, on which nothing else here depends."""
    from benchmarks import jobs

    return jobs.count_jobs(seconds)


@cache
def _bare_rows() -> Any:
    """The baseline's table; its index is written in benchmarks/boardrows.py."""
    from django.db import models

    columns = {
        "status": models.CharField(max_length=16),
        "rank": models.FloatField(),
        "created_at": models.DateTimeField(),
        "attempts": models.IntegerField(),
        "claimed_by": models.CharField(max_length=200),
        "lease_until": models.DateTimeField(null=True),
    }
    meta = type("Meta", (), {"app_label": "baseline", "managed": False, "db_table": "bench_row"})
    return type("BareRow", (models.Model,), {**columns, "Meta": meta, "__module__": __name__}).objects


def count_bare(seconds: float) -> int:
    """The same with the least that Django can do: lock the first row that nobody locks, and update it."""
    from django.db import transaction
    from django.utils import timezone

    rows = _bare_rows()

    def take() -> Any:
        with transaction.atomic():
            ready = rows.filter(status="pending").order_by("-rank", "created_at", "id")
            row = next(iter(ready.select_for_update(skip_locked=True)[:1]), None)
            if row is not None:
                rows.filter(pk=row.pk).update(
                    status="in_progress",
                    attempts=row.attempts + 1,
                    claimed_by="bench",
                    lease_until=timezone.now() + timedelta(seconds=120),
                )
            return row

    return _count(take, seconds)


def measure_costs(boards: list[str], rounds: int) -> dict[str, dict[str, float]]:
    """The median milliseconds of a claim and of a list on each board; boards take turns."""
    from boards.hands import Hand
    from boards.services.claiming import claim_next
    from boards.services.settling import release_task
    from boards.tools.inputs import ListTasks
    from boards.tools.running import run_tool

    hand, found = Hand(principal="bench"), {name: _board(name) for name in boards}
    times: dict[str, dict[str, list[float]]] = {name: {"claim": [], "list": []} for name in boards}
    for _ in range(rounds):
        for name, board in found.items():
            started = time.perf_counter()
            claimed = claim_next(board=board, worker="bench", by=hand)
            times[name]["claim"].append(time.perf_counter() - started)
            assert claimed is not None
            release_task(board=board, task_id=claimed[0].task_id, by=hand, ticket=claimed[1])
            started = time.perf_counter()
            answer = run_tool(
                tool="listTasks", board=board, by=hand, value=ListTasks(status="pending", limit=50)
            )
            times[name]["list"].append(time.perf_counter() - started)
            assert answer["ok"]
    return {
        name: {what: statistics.median(some) * 1000 for what, some in of.items()}
        for name, of in times.items()
    }


def race(boards: list[str], every: float) -> list[str]:
    """One claim on each board, ``every`` so many seconds, so that all callers meet; the boards where it won."""
    from boards.hands import Hand
    from boards.services.claiming import claim_next

    found, hand, worker = [_board(name) for name in boards], Hand(principal="bench"), f"w{os.getpid()}"
    begin, won = time.time(), []
    for number, board in enumerate(found):
        time.sleep(max(0, begin + number * every - time.time()))
        if claim_next(board=board, worker=worker, by=hand) is not None:
            won.append(board.board_id)
    return won


if __name__ == "__main__":
    main()
