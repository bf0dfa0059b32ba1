"""Claims that wait, against real servers: two processes on PostgreSQL, one on SQLite."""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from tests.stories.boards import PATH, cast
from tests.stories.server import Server, until

pytestmark = pytest.mark.story

TOKEN = "only-for-metrics"
RUNS = re.compile(r'^workforce_\w*_count\{.*route="api/boards/<board:board>/claim".*\} ([0-9.]+)', re.M)
Claim = Future[httpx.Response]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Server]]:
    """The processes, on one database."""
    with ExitStack() as stack:
        folder = tmp_path_factory.mktemp("first")
        first = stack.enter_context(Server(folder, "--no-worker", METRICS_TOKEN=TOKEN))
        if not os.environ.get("TEST_DATABASE_URL"):
            yield [first]
            return
        second = Server(
            tmp_path_factory.mktemp("second"),
            "--no-worker",
            METRICS_TOKEN=TOKEN,
            database_url=first.database_url,
        )
        yield [first, stack.enter_context(second)]


@pytest.fixture(scope="module")
def keys(servers: list[Server]) -> dict[str, str]:
    return cast(servers[0])


@pytest.fixture
def lead(servers: list[Server], keys: dict[str, str]) -> Iterator[httpx.Client]:
    """Files and settles, at the last of the servers. The board is empty of open rows before and after."""
    with servers[-1].client(keys["lead"]) as client:
        yield client
        for status in ("pending", "in_progress", "blocked", "parked"):
            for row in client.get(f"{PATH}/tasks", params={"status": status, "limit": 200}).json()["items"]:
                client.post(f"{PATH}/tasks/{row['id']}/cancel", json={})


class Waiters:
    """Workers that wait, spread over the servers."""

    def __init__(self, servers: list[Server], keys: dict[str, str], stack: ExitStack) -> None:
        self.servers, self.keys = servers, keys
        self.pool = stack.enter_context(ThreadPoolExecutor(60))
        self.clients = {
            (number, name): stack.enter_context(server.client(key))
            for number, server in enumerate(servers)
            for name, key in keys.items()
        }

    def claim(
        self, name: str = "wren", *, seconds: int = 20, at: int = 0, key: str = "", **body: Any
    ) -> Claim:
        """Start a claim that waits; true waiting begins a moment later."""
        client = self.clients[at % len(self.servers), name]
        headers = {"Idempotency-Key": key} if key else {}
        path = f"{PATH}/claim?wait={seconds}"
        return self.pool.submit(client.post, path, json={"worker": name, **body}, headers=headers)

    def runs(self) -> int:
        """How often the view of claims was run, on all servers."""
        found = 0.0
        for server in self.servers:
            answer = httpx.get(f"{server.url}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
            assert answer.status_code == 200
            found += sum(float(number) for number in RUNS.findall(answer.text))
        return int(found)

    def settle(self, before: int, number: int) -> None:
        """Wait until so many claims have looked once, and are waiting."""
        until(lambda: self.runs() >= before + number, what="the first look of every claim")
        time.sleep(0.1)


@pytest.fixture
def waiters(servers: list[Server], keys: dict[str, str]) -> Iterator[Waiters]:
    with ExitStack() as stack:
        yield Waiters(servers, keys, stack)


def filed(lead: httpx.Client, **body: Any) -> str:
    answer = lead.post(f"{PATH}/tasks", json={"goal": "x", **body})
    assert answer.status_code == 201, answer.text
    task: str = answer.json()["id"]
    return task


def done(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def do(lead: httpx.Client, task: str, verb: str, **body: Any) -> dict[str, Any]:
    return done(lead.post(f"{PATH}/tasks/{task}/{verb}", json=body))


def taken(lead: httpx.Client, **body: Any) -> str:
    """The ticket of the first ready row."""
    ticket: str = done(lead.post(f"{PATH}/claim", json={"worker": "lead", **body}))["ticket"]
    return ticket


def test_wait__ends_with_the_time(waiters: Waiters, lead: httpx.Client) -> None:
    started = time.monotonic()
    answer = waiters.claim(seconds=1).result(timeout=10)
    assert 0.9 < time.monotonic() - started < 5
    assert (answer.status_code, answer.content) == (204, b"")
    assert not [name for name in answer.headers if name.lower().startswith("x-workforce")]


def test_wait__is_what_the_query_says(
    servers: list[Server], keys: dict[str, str], lead: httpx.Client
) -> None:
    """A `Prefer: wait` is for actions: it neither makes a claim wait nor changes how long it does."""
    with servers[0].client(keys["wren"]) as client:
        for query, least, most in (("", 0, 2), ("?wait=0", 0, 2), ("?wait=1", 0.9, 5)):
            started = time.monotonic()
            answer = client.post(
                f"{PATH}/claim{query}", json={"worker": "wren"}, headers={"Prefer": "wait=30"}
            )
            assert answer.status_code == 204
            assert least < time.monotonic() - started < most, query


def test_wait__ends_when_a_row_is_filed(waiters: Waiters, lead: httpx.Client) -> None:
    lags = []
    for _ in range(4):  # the machine may be busy once, not four times
        before = waiters.runs()
        waiting = waiters.claim()
        waiters.settle(before, 1)
        task = filed(lead)
        started = time.monotonic()
        assert done(waiting.result(timeout=10))["task"]["id"] == task
        lags.append(time.monotonic() - started)
    assert min(lags) < 0.5, lags


CAUSES = ["unblock", "release", "fail", "answer", "complete a dep", "lapse", "reclaim", "assign"]


@pytest.mark.parametrize("cause", CAUSES)
def test_wait__ends_when_a_row_becomes_ready(waiters: Waiters, lead: httpx.Client, cause: str) -> None:
    task = filed(lead, maxAttempts=5, assignee="robin" if cause == "assign" else "wren")
    wanted = task
    if cause == "unblock":
        do(lead, task, "block")
    elif cause != "assign":
        ticket = taken(lead, leaseSeconds=2 if cause == "lapse" else 60)
    if cause == "answer":
        do(lead, task, "park", ticket=ticket, question="?")
    if cause == "complete a dep":
        wanted = filed(lead, deps=[task], assignee="wren")
    before = waiters.runs()
    waiting = waiters.claim(assignee="wren")
    waiters.settle(before, 1)
    assert not waiting.done()
    if cause == "unblock":
        do(lead, task, "unblock")
    elif cause == "release":
        do(lead, task, "release", ticket=ticket)
    elif cause == "fail":
        do(lead, task, "fail", ticket=ticket, error="no")
    elif cause == "answer":
        do(lead, task, "answer", answer="!")
    elif cause == "complete a dep":
        do(lead, task, "complete", ticket=ticket, output=1)
    elif cause == "reclaim":
        do(lead, task, "reclaim")
    elif cause == "assign":
        do(lead, task, "assign", assignee="wren")
    assert done(waiting.result(timeout=10))["task"]["id"] == wanted


def test_wait__goes_on_for_rows_of_others(waiters: Waiters, lead: httpx.Client) -> None:
    before = waiters.runs()
    mine = waiters.claim(assignee="wren")
    labelled = waiters.claim("robin", at=1, labels=["b", "a"])
    waiters.settle(before, 2)
    for body in ({"assignee": "Wren"}, {"labels": ["a"]}, {"labels": ["ab"]}, {}):
        filed(lead, **body)
    time.sleep(0.5)
    assert not mine.done() and not labelled.done()
    assert waiters.runs() == before + 2  # nobody looked again: nothing was for them
    task = filed(lead, labels=["a", "c", "b"])
    assert done(labelled.result(timeout=10))["task"]["id"] == task
    task = filed(lead, assignee="wren")
    assert done(mine.result(timeout=10))["task"]["id"] == task


def test_wait__one_row_for_many_wakes_few_and_one_wins(waiters: Waiters, lead: httpx.Client) -> None:
    number = 12
    before = waiters.runs()
    waiting = [waiters.claim(at=at, seconds=50) for at in range(number)]
    waiters.settle(before, number)
    won: set[str] = set()
    for count in range(1, number + 1):
        won.add(filed(lead))
        until(lambda count=count: sum(call.done() for call in waiting) >= count)
        assert sum(call.done() for call in waiting) == count
    assert {done(call.result())["task"]["id"] for call in waiting} == won
    # First looks, a win each, and few who came too late: not everybody at every row.
    assert waiters.runs() - before <= number * (2 + len(waiters.servers))


def test_wait__many_rows_at_once_serve_as_many(waiters: Waiters, lead: httpx.Client) -> None:
    """More calls wait than the server has threads; it answers others as ever, and all get rows of their own."""
    number = 40
    before = waiters.runs()
    waiting = [waiters.claim(at=at, seconds=50) for at in range(number)]
    waiters.settle(before, number)
    started = time.monotonic()
    for _ in range(5):
        assert lead.get(PATH).status_code == 200
    assert time.monotonic() - started < 5
    tasks = {filed(lead) for _ in range(number)}
    assert {done(call.result(timeout=40))["task"]["id"] for call in waiting} == tasks


def test_wait__repeated_with_its_key_is_one_claim(waiters: Waiters, lead: httpx.Client) -> None:
    assert waiters.claim(seconds=1, key="k").result(timeout=10).status_code == 204
    before = waiters.runs()
    waiting = waiters.claim(key="k")
    waiters.settle(before, 1)
    filed(lead), filed(lead)
    first = waiting.result(timeout=10)
    again = waiters.claim(key="k", at=1).result(timeout=10)
    assert done(first)["ticket"]
    assert (again.status_code, again.content) == (200, first.content)
    assert lead.get(PATH).json()["counts"]["pending"] == 1


def test_wait__of_a_client_that_left_takes_nothing(
    servers: list[Server], waiters: Waiters, keys: dict[str, str], lead: httpx.Client
) -> None:
    before = waiters.runs()
    body = b'{"worker":"gone"}'
    head = (
        f"POST {PATH}/claim?wait=30 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {keys['wren']}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", servers[0].port), timeout=10) as wire:
        wire.sendall(head.encode() + body)
        waiters.settle(before, 1)
    time.sleep(0.3)
    task = filed(lead)
    time.sleep(0.5)
    assert lead.get(f"{PATH}/tasks/{task}").json()["status"] == "pending"
    assert waiters.runs() == before + 1


@pytest.mark.parametrize(
    ("name", "words", "status", "code"),
    [
        ("robin", ("actor", "freeze", "robin"), 403, "frozen"),
        ("finch", ("key", "revoke"), 401, "key-revoked"),
    ],
)
def test_wait__ends_at_once_when_the_key_stops_counting(
    servers: list[Server],
    waiters: Waiters,
    keys: dict[str, str],
    lead: httpx.Client,
    name: str,
    words: tuple[str, ...],
    status: int,
    code: str,
) -> None:
    before = waiters.runs()
    waiting = [waiters.claim(name, seconds=50, at=at) for at in range(len(servers))]
    waiters.settle(before, len(waiting))
    prefix = keys[name].split("_")[1]
    servers[0].manage(*words, *([prefix] if words[0] == "key" else []))
    for call in waiting:
        answer = call.result(timeout=10)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert answer.headers["Content-Type"] == "application/problem+json"
