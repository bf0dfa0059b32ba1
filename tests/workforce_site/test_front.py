"""What the front decides before and beside the views: bodies, methods, health, and readers that do not read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from workforce.waits import FEED, WAIT_FOR
from workforce_site import asgi, exchange, waiting
from workforce_site.asgi import Front


class Views:
    """An application that notes what it is asked, and answers with what it is given."""

    def __init__(self, *headers: tuple[bytes, bytes], body: bytes = b"{}") -> None:
        self.asked: list[Any] = []
        self.headers, self.body = list(headers), body

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append((scope["method"], scope["path"]))
        await send({"type": "http.response.start", "status": 200, "headers": self.headers})
        await send({"type": "http.response.body", "body": self.body})


class Client:
    """Sends its messages one after the other, then nothing more; keeps what it is sent."""

    def __init__(self, *messages: dict[str, Any]) -> None:
        self.messages = list(messages)
        self.told: list[Any] = []

    async def receive(self) -> Any:
        if self.messages:
            return self.messages.pop(0)
        await asyncio.sleep(60)
        raise AssertionError("nobody waits that long")

    async def send(self, message: Any) -> None:
        self.told.append(message)

    @property
    def status(self) -> int:
        return int(self.told[0]["status"])

    @property
    def json(self) -> Any:
        return json.loads(self.told[1]["body"])


def ask(views: Views, client: Client, method: str, path: str) -> None:
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": []}

    async def answered() -> None:
        async with asyncio.timeout(10):
            await Front(views)(scope, client.receive, client.send)

    asyncio.run(answered())


EMPTY = {"type": "http.request", "body": b""}


@pytest.mark.parametrize("path", ["/healthz", "/healthz/"])
def test_healthz__is_answered_while_every_thread_waits_for_a_locked_database(path: str) -> None:
    views, client = Views(), Client(EMPTY)
    ask(views, client, "GET", path)
    assert (client.status, client.json, views.asked) == (200, {"status": "ok"}, [])


def test_body__that_comes_too_slowly_is_408_and_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "BODY_TIMEOUT", 0.05)
    views, client = Views(), Client({"type": "http.request", "body": b"{", "more_body": True})
    ask(views, client, "POST", "/api/sessions")
    assert (client.status, client.json["code"], views.asked) == (408, "too-slow", [])
    headers = dict(client.told[0]["headers"])
    assert headers[b"connection"] == b"close"
    assert headers[b"content-type"] == b"application/problem+json"


@pytest.mark.parametrize("path", ["/api/flows", "/healthz"])
def test_method__in_small_letters_is_the_same(path: str) -> None:
    views, client = Views(), Client(EMPTY)
    ask(views, client, "get", path)
    assert client.status == 200
    assert views.asked == ([] if path == "/healthz" else [("GET", path)])


def test_stream__in_small_letters_is_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    streamed: list[str] = []

    async def stream(*parts: Any) -> None:
        streamed.append(parts[2]["method"])

    monkeypatch.setattr(asgi, "stream_session", stream)
    ask(Views(), Client(EMPTY), "get", "/api/sessions/a.b/stream")
    assert streamed == ["GET"]


@pytest.fixture
def look() -> Iterator[bytes]:
    item = {"seq": 1, "data": "x" * 1000}
    yield json.dumps({"items": [item], "runs": [], "after": 0, "more": False}).encode()


def test_stream__a_reader_that_never_reads_is_let_go(look: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "SEND_SECONDS", 0.05)

    class Deaf(Client):
        """Its buffers are full from the first event on."""

        async def send(self, message: Any) -> None:
            if message["type"] == "http.response.body":
                await asyncio.sleep(60)
            self.told.append(message)

    names = [(WAIT_FOR.lower().encode(), b"session:1=1"), (FEED.lower().encode(), b"session:1")]
    client = Deaf(EMPTY)
    ask(Views(*names, body=look), client, "GET", "/api/sessions/a.b/stream")
    assert [message["type"] for message in client.told] == ["http.response.start"]
