"""What it costs to look at boards with 1,000 and with a million rows, most of them ended, on PostgreSQL.

Run: python -m benchmarks.looking [--rounds 30] [--large 1000000]. The pages and answers are made in one process, by
the client of Django's tests; a ratio is how many times the cost with 1,000 rows. Nine of ten open rows wait for a
worker, the rest is held, blocked or parked; one ended row in ten has failed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from typing import Any

from benchmarks.boardrows import add_rows, connect, prepare
from benchmarks.serving import ROOT, database, environment, manage, median

#: Boards that ``prepare`` makes.
BOARD, OTHER = "bench.desk.large", "bench.desk.small"
OPEN = {"pending": 90, "in_progress": 4, "blocked": 3, "parked": 3}
WHO = """
from workforce.models import Grant, Membership, Organization, User
from workforce.services.actors import add_actor
from workforce.services.organizations import ensure_membership
organization = Organization.objects.get(slug="default")
User.objects.create_superuser("chief")
operator = User.objects.create_user("operator", is_staff=True)
ensure_membership(user=operator, organization=organization, role=Membership.Role.OPERATOR)
print(add_actor(organization=organization, passname="reader", user=operator, grants=[Grant.BOARDS_READ])[2])
"""
TASKS = "/admin/boards/task/"
LOOKS = {
    "GET /api/boards": ("key", "/api/boards"),
    "the overview of boards": ("operator", "/admin/boards/board/"),
    "a board's page": ("operator", "BOARD"),
    "rows by updatedAt": ("key", f"/api/boards/{BOARD}/tasks?ordering=-updatedAt"),
    "rows by updatedAt, oldest first": ("key", f"/api/boards/{BOARD}/tasks?ordering=updatedAt"),
    "rows by priority": ("key", f"/api/boards/{BOARD}/tasks?ordering=-priority"),
    "tasks, all of them": ("chief", TASKS),
    "tasks, for an operator": ("operator", TASKS),
    "tasks that failed": ("operator", f"{TASKS}?status=errored"),
    "tasks that need somebody": ("operator", f"{TASKS}?status=needs"),
    "tasks of a mailbox": ("operator", f"{TASKS}?mailbox=bench.desk"),
    "tasks over a week old": ("operator", f"{TASKS}?age=over-week"),
    "tasks for nobody yet": ("operator", f"{TASKS}?assigned=no"),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--large", type=int, default=1_000_000)
    parser.add_argument("--measure", metavar="KEY", help="measure the database of the environment, as JSON")
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, options.rounds)))
        return
    small, large = (costs_with(rows, options.rounds) for rows in (1_000, options.large))
    print(f"{'':34} 1,000 rows  {options.large:,} rows  ratio")
    for name, cost in small.items():
        print(f"{name:34} {cost:7.1f} ms {large[name]:11.1f} ms  {large[name] / cost:.2f}")


def costs_with(rows: int, rounds: int) -> dict[str, float]:
    """The milliseconds of each look, on a database with so many rows."""
    with database("postgres") as url:
        env = environment(url, ALLOWED_HOSTS="testserver")
        prepare(env, url)
        key = manage(env, "shell", "--verbosity", "0", "-c", WHO).strip()
        fill(url, rows)
        manage(env, "sweep")
        words = [sys.executable, "-m", "benchmarks.looking", "--measure", key, "--rounds", str(rounds)]
        done = subprocess.run(words, cwd=ROOT, env=env, check=True, stdout=subprocess.PIPE, text=True)
        costs: dict[str, float] = json.loads(done.stdout)
        return costs


def fill(url: str, rows: int) -> None:
    """So many rows on a board, and a hundred on another."""
    for status, number in OPEN.items():
        add_rows(url, BOARD, number, status=status)
        add_rows(url, OTHER, number, status=status)
    add_rows(url, BOARD, rows // 10, status="errored")
    add_rows(url, BOARD, rows - 100 - rows // 10, status="completed")
    with connect(url) as connection:
        # As if they had been there for a while: their boards, too, are older than the hour that a tally waits.
        connection.execute("UPDATE boards_board SET created_at = created_at - interval '9 days'")
        connection.execute("VACUUM ANALYZE")


def measure(key: str, rounds: int) -> dict[str, float]:
    """The median milliseconds of each look."""
    import django

    django.setup()
    from boards.models import Board

    board = f"/admin/boards/board/{Board.objects.get(board_id=BOARD).pk}/change/"
    clients = {"chief": _client("chief"), "operator": _client("operator"), "key": _client(None)}
    costs = {}
    for name, (who, path) in LOOKS.items():
        headers = {"Authorization": f"Bearer {key}"} if who == "key" else {}
        times = []
        for _ in range(rounds + 3):
            started = time.perf_counter()
            answer = clients[who].get(board if path == "BOARD" else path, headers=headers)
            times.append(time.perf_counter() - started)
            assert answer.status_code == 200, (name, answer.status_code, answer.content[:300])
        costs[name] = median(times[3:]) * 1000
    return costs


def _client(username: str | None) -> Any:
    from django.test import Client

    from workforce.models import User

    client = Client()
    if username is not None:
        client.force_login(User.objects.get(username=username))
    return client


if __name__ == "__main__":
    main()
