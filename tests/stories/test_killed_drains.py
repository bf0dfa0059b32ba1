"""Servers that drain a board die at any point: every row ends by one claim, and no worker has too many at once."""

from __future__ import annotations

import random
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.stories.server import Server, open_server, until
from tests.trees import record, write_tree

pytestmark = pytest.mark.story
ROWS, KILLS, CONCURRENCY = 24, 3, 3
BOARD = "support.help.todo"
TREE = {
    "teams/support/mailboxes/help/MAILBOX.md": record("boards: [todo]"),
    "teams/support/workers/wren/WORKER.md": record(
        f"flow: handler\nhandler: slow\ndrains: [{BOARD}]\nconcurrency: {CONCURRENCY}"
    ),
}


def rows_of(api: httpx.Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.get(f"/api/boards/{BOARD}/tasks", params={"limit": 200}).json()["items"]
    return found


def test_story__servers_that_drain_are_killed_at_random_points(tmp_path: Path) -> None:
    dice, notes = random.Random(11), tmp_path / "notes.txt"
    how = {
        "settings": "tests.stories.handwork",
        "HANDWORK": str(notes),
        "DISPATCH_LEASE_SECONDS": "3",
        "DISPATCH_SWEEP_SECONDS": "1",
    }
    with ExitStack() as stack:
        first = stack.enter_context(open_server(tmp_path, **how))
        first.manage("load_workforce", str(write_tree(tmp_path / "tree", TREE)))
        (beside := tmp_path / "second").mkdir()
        second = stack.enter_context(open_server(beside, database_url=first.database_url, **how))
        api = stack.enter_context(httpx.Client(base_url=first.url, timeout=30))
        _file(api)
        _kill_and_restart([first, second], dice)
        until(
            lambda: all(row["status"] in ("completed", "errored") for row in rows_of(api)),
            seconds=120,
            what="the end of every row",
        )
        for row in rows_of(api):
            _check_row(api, row["id"])
    _check_notes(notes)


def _file(api: httpx.Client) -> None:
    for number in range(ROWS):
        filed = {"board": "todo", "goal": f"row {number}", "input": number, "maxAttempts": 2}
        answer = api.post("/api/flows/mailbox/support.help/actions/fileTask", json={"input": filed})
        assert answer.status_code in (200, 202), answer.text


def _kill_and_restart(servers: list[Server], dice: random.Random) -> None:
    for _ in range(KILLS):
        time.sleep(dice.uniform(0.05, 0.8))
        victim = dice.choice(servers)
        victim.kill()
        victim.start()


def _check_row(api: httpx.Client, task_id: str) -> None:
    row = api.get(f"/api/boards/{BOARD}/tasks/{task_id}").json()
    kinds = [event["kind"] for event in row["events"]]
    claims, retried = kinds.count("claimed"), kinds.count("retried")
    assert kinds.count("run_linked") == claims
    assert row["status"] == "completed", row
    assert kinds[-1] == "completed"
    assert kinds.count("completed") == 1
    assert row["output"]["attempt"] == row["attempts"] == row["run"]["attempt"] == claims
    assert claims == 1 + retried + row["abandonments"]
    run = api.get(f"/api/requests/{row['run']['requestId']}").json()
    assert (run["status"], run["sessionId"]) == ("completed", row["run"]["sessionId"])


def _check_notes(notes: Path) -> None:
    """Of the calls that came to their end, no more than may be were under way at any moment."""
    begun: dict[tuple[str, ...], float] = {}
    moments: list[tuple[float, int]] = []
    for line in notes.read_text().splitlines():
        at, what, *call = line.split()
        if what == "begun":
            begun[tuple(call)] = float(at)
        else:
            moments += [(begun[tuple(call)], 1), (float(at), -1)]
    working = most = 0
    for _, step in sorted(moments):
        working += step
        most = max(most, working)
    assert 1 <= most <= CONCURRENCY
