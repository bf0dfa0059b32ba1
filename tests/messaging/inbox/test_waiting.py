"""Pulls that wait, on a real server: told at once, ended at once, and without a thread each."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from messaging.inbox.models import Inbox, InboxEvent, Receipt
from messaging.inbox.selectors.waiting import SORT
from messaging.inbox.services.opening import leave_inbox
from tests.messaging.inbox.conftest import Mate
from tests.stories.server import Server
from tests.workforce.api.live import server
from workforce import clock
from workforce.selectors.versions import is_counted, versions_of
from workforce.services.actors import freeze_actor, retire_actor
from workforce.services.keys import revoke_key

assert server

pytestmark = pytest.mark.django_db(transaction=True)
Pull = Future[httpx.Response]
#: More than the server has threads.
MANY = 40


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(MANY) as pool:
        yield pool


@pytest.fixture
def client(server: Server, coder: Mate) -> Iterator[httpx.Client]:
    with server.client(coder.key) as client:
        yield client


def pull(client: httpx.Client, seconds: int = 20, body: dict[str, Any] | None = None) -> httpx.Response:
    return client.post("/api/inboxes/release/pull/", params={"wait": seconds}, json=body or {}, timeout=40)


def test_pull__is_answered_as_soon_as_something_is_sent(
    client: httpx.Client, planner: Mate, coder: Mate, pool: ThreadPoolExecutor
) -> None:
    lags = []
    for number in range(3):  # the machine may be busy once, not three times
        waiting: Pull = pool.submit(pull, client)
        time.sleep(0.5)
        assert not waiting.done()
        message = planner.send(number)
        answer = waiting.result(timeout=10)
        lags.append(clock.to_ms(clock.now()) - message["createdAt"])
        assert [item["id"] for item in answer.json()["items"]] == [message["id"]]
        assert answer.json()["items"][0]["state"] == "delivered"
        assert not [name for name in answer.headers if name.lower().startswith("x-workforce")]
        coder.do(message["id"], "complete")
    assert min(lags) < 500, lags


def test_pull__goes_on_waiting_for_what_it_asks_for(
    client: httpx.Client, planner: Mate, pool: ThreadPoolExecutor
) -> None:
    waiting: Pull = pool.submit(pull, client, body={"topic": "other"})
    time.sleep(0.3)
    planner.send(topic="plan")
    planner.send(to=["boss"], topic="other")
    time.sleep(0.5)
    assert not waiting.done()
    message = planner.send(topic="other")
    assert [item["id"] for item in waiting.result(timeout=10).json()["items"]] == [message["id"]]
    assert Receipt.objects.filter(state="delivered").count() == 1


def test_pull__ends_with_the_time_and_says_that_nothing_is_there(client: httpx.Client, planner: Mate) -> None:
    started = time.monotonic()
    answer = pull(client, 1)
    assert 0.9 < time.monotonic() - started < 5
    assert (answer.status_code, answer.json()["items"]) == (200, [])
    assert answer.json()["counts"]["open"] == 0


def test_pull__does_not_wait_when_something_is_open(client: httpx.Client, planner: Mate) -> None:
    planner.send()
    started = time.monotonic()
    assert len(pull(client).json()["items"]) == 1
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("end", "status", "code"),
    [
        ("freeze", 403, "frozen"),
        ("revoke", 401, "key-revoked"),
        ("retire", 401, "key-revoked"),
        ("leave", 404, "not-found"),
    ],
)
def test_pull__that_waits_ends_at_once_and_nobody_else_notices(
    server: Server,
    client: httpx.Client,
    inbox: Inbox,
    coder: Mate,
    planner: Mate,
    reviewer: Mate,
    pool: ThreadPoolExecutor,
    end: str,
    status: int,
    code: str,
) -> None:
    with server.client(reviewer.key) as other:
        waiting: Pull = pool.submit(pull, client)
        another: Pull = pool.submit(pull, other)
        time.sleep(0.5)
        of: dict[str, Any] = {"organization": inbox.organization}
        match end:
            case "freeze":
                freeze_actor(passname="coder", **of)
            case "revoke":
                revoke_key(prefix=coder.key, **of)
            case "retire":
                retire_actor(passname="coder", **of)
            case "leave":
                leave_inbox(inbox=inbox, passname="coder")
        answer = waiting.result(timeout=5)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
        assert not another.done()
        planner.send(to=["reviewer"])
        assert len(another.result(timeout=10).json()["items"]) == 1


def test_waits__hold_no_threads(
    client: httpx.Client, planner: Mate, coder: Mate, pool: ThreadPoolExecutor
) -> None:
    waiting: list[Pull] = [pool.submit(pull, client, 30) for _ in range(MANY - 2)]
    time.sleep(1.5)
    assert client.get("/api/inboxes/release/access", timeout=10).status_code == 200
    message = planner.send()
    for each in waiting:
        assert [item["id"] for item in each.result(timeout=20).json()["items"]] == [message["id"]]
    assert InboxEvent.objects.filter(kind="delivered").count() == 1


def test_topic__is_read_for_all_at_once(planner: Mate, coder: Mate, django_assert_num_queries: Any) -> None:
    planner.send(to=["coder"])
    places = {mate.name: mate.actor.participations.get() for mate in (planner, coder)}
    topics = [f"{SORT}:{place.pk}" for place in places.values()]
    with django_assert_num_queries(1):
        assert versions_of([*topics, f"{SORT}:0"]) == {topics[0]: "0.0", topics[1]: "1.1", f"{SORT}:0": ""}
    assert not is_counted(topics[0])
