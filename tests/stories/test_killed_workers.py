"""Workers of a board die at any point: every row ends or can be taken again, and no row is accepted twice."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.stories.boardwork import BOARD
from tests.stories.server import ROOT, Server, until

pytestmark = pytest.mark.story
ROWS, WORKERS, KILLS = 24, 3, 6
ENDINGS = ("completed", "errored", "cancelled")


class Worker:
    """A process that works the board, and what it said was accepted."""

    def __init__(self, server: Server, name: str) -> None:
        self.output = server.folder / f"{name}.txt"
        with self.output.open("ab") as sink:
            command = f"from tests.stories.boardwork import work; work({name!r})"
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "shell", "--verbosity", "0", "-c", command],
                cwd=ROOT, env=server.environment, stdout=sink, stderr=subprocess.STDOUT,
            )  # fmt: skip

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def rows_of(api: httpx.Client) -> list[dict[str, Any]]:
    answer = api.get(f"/api/boards/{BOARD}/tasks", params={"limit": 200})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def test_story__workers_are_killed_at_random_points(tmp_path: Path) -> None:
    dice = random.Random(7)
    with Server(tmp_path) as server:
        seeding = f"from tests.stories.boardwork import seed; seed({ROWS})"
        key = server.manage("shell", "--verbosity", "0", "-c", seeding)
        with server.client(key) as api:
            _kill_and_replace(server, api, dice)
            rows = rows_of(api)
            assert len(rows) == ROWS
            for row in rows:
                _check_row(api.get(f"/api/boards/{BOARD}/tasks/{row['id']}").json())
            _check_accepted(tmp_path, rows)
            _check_shown(api, rows)


def _kill_and_replace(server: Server, api: httpx.Client, dice: random.Random) -> None:
    workers = [Worker(server, f"w{number}") for number in range(WORKERS)]
    try:
        until(lambda: any(row["status"] == "in_progress" for row in rows_of(api)), what="a first claim")
        for number in range(KILLS):
            time.sleep(dice.uniform(0.1, 0.9))
            victim = dice.randrange(WORKERS)
            workers[victim].kill()
            workers[victim] = Worker(server, f"w{WORKERS + number}")
        until(
            lambda: all(row["status"] in ENDINGS for row in rows_of(api)),
            seconds=90,
            what="the end of every row",
        )
    finally:
        for worker in workers:
            worker.kill()


def _check_row(row: dict[str, Any]) -> None:
    kinds = [event["kind"] for event in row["events"]]
    ends = [kind for kind in kinds if kind in ENDINGS]
    assert ends == [row["status"]] == kinds[-1:]
    claims = kinds.count("claimed")
    assert row["attempts"] == claims
    if row["status"] == "completed":
        assert row["output"]["attempt"] == claims, "an earlier holder was accepted"
        assert row["abandonments"] == claims - 1
    else:
        assert (row["abandonments"], claims) == (3, 4)


def _check_accepted(folder: Path, rows: list[dict[str, Any]]) -> None:
    said = [line for file in folder.glob("w*.txt") for line in file.read_text().splitlines()]
    accepted = Counter(line.split()[0] for line in said)
    assert not [line for line in said if len(line.split()) != 2], said
    assert set(accepted.values()) <= {1}
    assert set(accepted) <= {row["id"] for row in rows if row["status"] == "completed"}
    assert accepted, "nobody got anything done"


def _check_shown(api: httpx.Client, rows: list[dict[str, Any]]) -> None:
    """Every change shows on the mailbox's session, also those of processes that died before they could tell."""

    def shown() -> Counter[str]:
        items: list[dict[str, Any]] = []
        page: dict[str, Any] = {"nextCursor": None}
        while "nextCursor" in page:
            cursor = {"cursor": page["nextCursor"]} if page["nextCursor"] else {}
            page = api.get("/api/sessions/support.help/items", params={"limit": 200, **cursor}).json()
            items += page["items"]
        return Counter(item["data"]["taskId"] for item in items)

    wanted = Counter({row["id"]: row["revision"] for row in rows})
    until(lambda: shown() == wanted, seconds=40, what="every change on the session")


def test_story__a_change_shows_within_a_second(tmp_path: Path) -> None:
    with Server(tmp_path) as server:
        key = server.manage(
            "shell", "--verbosity", "0", "-c", "from tests.stories.boardwork import seed; seed(0)"
        )
        with server.client(key) as api:
            act = "/api/flows/mailbox/support.help/actions"
            first = {"input": {"board": "todo", "goal": "warm up"}}
            assert api.post(f"{act}/fileTask", json=first).status_code == 202
            until(lambda: api.get("/api/sessions/support.help").json()["lastSeq"] == 1, what="the first item")
            for number in range(2, 7):
                started = time.monotonic()
                api.post(f"{act}/addTask_support_help_todo", json={"input": {"goal": "x"}}).raise_for_status()
                until(
                    lambda seq=number: api.get("/api/sessions/support.help").json()["lastSeq"] == seq,
                    what="the item of the filing",
                )
                assert time.monotonic() - started < 1
