"""A support desk with real processes: a question is routed, a worker answers it where it was asked.

First as a new user meets it, without a key or a broker; then with a model that calls tools, and two Celery workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fakes.openai import Asked, FakeOpenAI, Reply, calls, says
from tests.stories.brokers import BROKERS, answers, server_on
from tests.stories.server import Server, Worker, open_server, until

pytestmark = pytest.mark.story
BOX = "support.help"


def act(client: httpx.Client, action: str, **value: Any) -> Any:
    answer = client.post(
        f"/api/flows/mailbox/{BOX}/actions/{action}",
        json={"input": value},
        headers={"Prefer": "return=representation"},
    )
    assert answer.status_code == 200, answer.text
    return answer.json()["output"]


def transcript(client: httpx.Client) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = act(client, "read")["transcript"]
    return lines


def seat_lines(client: httpx.Client) -> list[dict[str, Any]]:
    return [line for line in transcript(client) if line.get("seatAuthored")]


def routes(client: httpx.Client) -> list[dict[str, Any]]:
    items = client.get(f"/api/sessions/{BOX}/items", params={"component": "mailbox-route"}).json()["items"]
    return [item["data"] for item in items]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with open_server(tmp_path_factory.mktemp("desk")) as running:
        running.manage("load_workforce")
        yield running


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=30) as client:
        yield client


def test_story__questions_are_answered_by_whose_job_fits(client: httpx.Client) -> None:
    act(client, "post", body="Tell me a joke about penguins and the moon.")
    [unfit] = until(lambda: seat_lines(client), what="the fallback's answer")
    assert unfit["author"] == "support.general"
    asked = act(client, "post", body="The robot leaves streaks when it mops. What can I do?")
    until(lambda: len(seat_lines(client)) == 2, what="an answer")
    line = seat_lines(client)[-1]
    assert line["author"] == "support.devices"
    assert "wash the pad" in line["body"]
    first, route = routes(client)
    assert (first["member"], first["by"]) == ("support.general", "fallback")
    assert (route["postId"], route["member"]) == (asked["id"], "support.devices")
    assert (route["by"], route["score"] > 0.12) == ("evaluated", True)


def test_story__a_worker_is_talked_to(client: httpx.Client) -> None:
    ensured = client.post("/api/workers/support.devices/ensure-session", json={}).json()
    answer = client.post(
        f"/api/flows/agent/{ensured['id']}/actions/run",
        json={"input": {"message": "The Mossling does not connect to Wi-Fi"}},
        headers={"Prefer": "wait=30"},
    )
    assert answer.status_code == 200, answer.text
    assert "2.4 GHz" in answer.json()["output"]["text"]


def desk(asked: Asked) -> Reply:
    """A model that looks a thing up, files a row, answers by the tool, and has a last word that is not needed."""
    said = len(asked.texts("tool"))
    if "penguin" in asked.prompt:
        return says("I cannot help with penguins.")
    steps = [
        calls(("read-document", {"name": "device-handbook"})),
        calls(("file-task", {"mailbox": BOX, "board": "escalations", "goal": "Send a new pad"})),
        calls(("post-to-mailbox", {"mailbox": BOX, "body": "A new pad is on its way."})),
        calls(("post-to-mailbox", {"mailbox": BOX, "body": "Said twice."})),
        says("All is arranged."),
    ]
    return steps[min(said, len(steps) - 1)]


@pytest.mark.skipif(not answers(BROKERS["redis"]), reason="no Redis")
def test_story__a_model_that_calls_tools_and_two_workers(tmp_path: Path) -> None:
    with FakeOpenAI(desk) as fake:
        variables = {
            "DEBUG": "1",
            "WORKFORCE_AUTH": "open",
            "WORKFORCE_MODEL": "openai:scripted",
            "WORKFORCE_MODEL_BASE_URL": fake.url,
            "WORKFORCE_MODEL_API_KEY": "sk-only-for-stories",
        }
        with server_on("redis", tmp_path, **variables) as server:
            tree = _tree(tmp_path / "tree")
            server.manage("load_workforce", str(tree))
            workers = [Worker(server, "w1"), Worker(server, "w2")]
            try:
                _run_desk(server, fake)
            finally:
                codes = [worker.terminate() for worker in workers]
        assert codes == [0, 0]
        for log in (server.log, *(worker.log for worker in workers)):
            assert "sk-only-for-stories" not in log.read_text()
            assert "Traceback" not in log.read_text()


def _run_desk(server: Server, fake: FakeOpenAI) -> None:
    with httpx.Client(base_url=server.url, timeout=30) as client:
        act(client, "post", body="The robot leaves streaks when it mops.")
        until(lambda: seat_lines(client), what="an answer")
        act(client, "post", body="And what about penguins?")
        until(lambda: len(seat_lines(client)) == 2, what="the second answer")
        _until_quiet(client)
        lines = seat_lines(client)
        assert [line["body"] for line in lines] == [
            "A new pad is on its way.",
            "I cannot help with penguins.",
        ]
        [row] = client.get(f"/api/boards/{BOX}.escalations/tasks/").json()["items"]
        assert row["goal"] == "Send a new pad"
        [first, second] = routes(client)
        assert (first["by"], second["by"]) == ("evaluated", "fallback")  # it has spoken: nothing is held
        children = client.get(f"/api/sessions/{BOX}/children").json()["items"]
        [child] = [child for child in children if child["seatId"] == "support.devices"]
        items = client.get(f"/api/sessions/{child['id']}/items").json()["items"]
        tools = [item["data"] for item in items if item["type"] == "tool_output"]
        assert [tool["tool"] for tool in tools] == [
            "read-document", "file-task", "post-to-mailbox", "post-to-mailbox"
        ]  # fmt: skip
        assert "nothing was posted" in tools[3]["output"]["note"]
    assert all("Keep an answer under 120 words" in asked.instructions for asked in fake.asked)


def _until_quiet(client: httpx.Client) -> None:
    def is_quiet(status: str) -> bool:
        return not client.get(f"/api/sessions/{BOX}/requests", params={"status": status}).json()["items"]

    until(lambda: is_quiet("pending") and is_quiet("in_progress"), what="the end of every request")


def _tree(root: Path) -> Path:
    """The sample, with the tools for the specialist of devices."""
    import shutil

    from tests.stories.server import ROOT

    shutil.copytree(ROOT / "workforce" / "sample", root)
    worker = root / "teams/support/workers/devices/WORKER.md"
    text = worker.read_text()
    assert "tools: [read-document]" in text
    worker.write_text(
        text.replace("tools: [read-document]", "tools: [read-document, post-to-mailbox, file-task]")
    )
    return root
