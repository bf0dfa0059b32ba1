"""A server that is asked to stop answers what was begun, although the database is locked meanwhile."""

from __future__ import annotations

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.stories.seeding import SCRIPT
from tests.stories.server import Server, open_server

pytestmark = pytest.mark.story
LOCKED = 4.0
#: More than there are threads.
CALLS = 20


def post(server: Server) -> int:
    path = "/api/flows/mailbox/desk.inbox/actions/post"
    return httpx.post(server.url + path, json={"input": {"body": "Late."}}, timeout=60).status_code


def test_stop__what_was_begun_is_answered(tmp_path: Path) -> None:
    file = tmp_path / "locked.sqlite3"
    server = open_server(tmp_path, "--no-worker", database_url=f"sqlite:///{file}")
    server.manage("migrate", "-v0")
    server.manage("shell", "-v0", "-c", SCRIPT)
    with server, ThreadPoolExecutor(CALLS + 1) as pool:
        lock = sqlite3.connect(file, isolation_level=None, timeout=30)
        lock.execute("BEGIN IMMEDIATE")
        answers = [pool.submit(post, server) for _ in range(CALLS)]
        time.sleep(1)
        assert httpx.get(f"{server.url}/healthz", timeout=2).status_code == 200
        stopped = pool.submit(server.terminate)
        time.sleep(LOCKED)
        assert not any(answer.done() for answer in answers) and not stopped.done()
        lock.execute("ROLLBACK")
        lock.close()
        assert [answer.result(timeout=30) for answer in answers] == [202] * CALLS
        code, seconds = stopped.result(timeout=30)
        assert code == 0 and seconds > LOCKED
