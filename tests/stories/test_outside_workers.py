"""The examples of docs/outside-workers.md, run as they stand against a server."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.stories.boards import BOARD, PATH, cast
from tests.stories.server import ROOT, Server, until

pytestmark = pytest.mark.story

PAGE = ROOT / "docs" / "outside-workers.md"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("outside"), "--no-worker") as running:
        yield running


@pytest.fixture(scope="module")
def keys(server: Server) -> dict[str, str]:
    return cast(server)


@pytest.fixture
def lead(server: Server, keys: dict[str, str]) -> Iterator[httpx.Client]:
    with server.client(keys["lead"]) as client:
        yield client


@contextmanager
def running(command: list[str], server: Server, key: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The worker, with what the page says that it needs in its environment."""
    variables = {"WORKFORCE_URL": server.url, "WORKFORCE_BOARD": BOARD, "WORKFORCE_KEY": key}
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command,
            env={"PATH": os.environ["PATH"], **variables},
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield process
        assert process.poll() is None, log.read_text()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def filed(lead: httpx.Client, goal: str, **body: Any) -> str:
    answer = lead.post(f"{PATH}/tasks", json={"goal": goal, **body})
    assert answer.status_code == 201, answer.text
    task: str = answer.json()["id"]
    return task


def ended(lead: httpx.Client, task: str, status: str = "completed") -> dict[str, Any]:
    def seen() -> dict[str, Any]:
        row: dict[str, Any] = lead.get(f"{PATH}/tasks/{task}").json()
        return row if row["status"] == status else {}

    row: dict[str, Any] = until(seen, what=f"the end of {task}")
    return row


def test_python__works_rows_and_outlives_a_restart(
    server: Server, keys: dict[str, str], lead: httpx.Client, tmp_path: Path
) -> None:
    early = filed(lead, "one two three", input={"a": [1]})
    command = [sys.executable, "-I", str(ROOT / "docs" / "examples" / "worker.py")]
    with running(command, server, keys["wren"], tmp_path / "worker.log"):
        row = ended(lead, early)
        assert (row["output"], row["attempts"]) == ({"words": 3, "input": {"a": [1]}}, 1)
        assert [event["kind"] for event in row["events"]] == ["added", "claimed", "completed"]
        assert row["events"][1]["passname"] == "wren"
        server.kill()
        server.start()
        assert ended(lead, filed(lead, "again"))["output"]["words"] == 1


def test_python__is_no_longer_than_a_page(server: Server) -> None:
    lines = (ROOT / "docs" / "examples" / "worker.py").read_text().splitlines()
    assert len([line for line in lines if line.strip()]) <= 40


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("jq")), reason="the loop needs curl and jq")
def test_curl__loop_works_rows(
    server: Server, keys: dict[str, str], lead: httpx.Client, tmp_path: Path
) -> None:
    (loop,) = re.findall(r"```bash\n(.*?)```", PAGE.read_text(), flags=re.S)
    with running(["bash", "-c", loop], server, keys["robin"], tmp_path / "loop.log"):
        tasks = [filed(lead, "x" * number) for number in (4, 9)]
        assert [ended(lead, task)["output"] for task in tasks] == [{"length": 4}, {"length": 9}]
