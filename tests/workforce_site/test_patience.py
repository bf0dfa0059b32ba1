"""A connection gets so long for a header, and no longer, however it dribbles."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import uvicorn

from workforce_site import patience
from workforce_site.patience import PatientProtocol

Connect = Callable[[], socket.socket]
WHOLE = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\n"


async def echo(scope: Any, receive: Any, send: Any) -> None:
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Iterator[Connect]:
    """Connections to a server that waits a quarter of a second for a header."""
    monkeypatch.setattr(patience, "HEADER_SECONDS", 0.25)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(echo, http=PatientProtocol, lifespan="off", log_config=None))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])))
    thread.start()
    with contextlib.ExitStack() as opened:
        yield lambda: opened.enter_context(socket.create_connection(listening.getsockname(), timeout=10))
    server.should_exit = True
    thread.join(timeout=10)


def ends(wire: socket.socket, dribble: bytes = b"") -> bool:
    """Whether the server closes, while a byte goes out now and then."""
    wire.settimeout(0.05)
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            if dribble:
                wire.sendall(dribble)
            if not wire.recv(1000):
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


def answered(wire: socket.socket, body: bytes) -> bool:
    """Whether the answer comes, with this body."""
    received = b""
    while not received.endswith(b"\r\n\r\n" + body):
        chunk = wire.recv(1000)
        if not chunk:
            return False
        received += chunk
    return True


def test_header__none_at_all(connect: Connect) -> None:
    assert ends(connect())


def test_header__a_byte_now_and_then(connect: Connect) -> None:
    wire = connect()
    wire.sendall(b"GET / HTTP/1.1\r\nX: ")
    started = time.monotonic()
    assert ends(wire, b"x")
    assert time.monotonic() - started < 2


def test_header__slow_after_a_call_that_was_not(connect: Connect) -> None:
    wire = connect()
    wire.sendall(WHOLE + b"abc")
    assert answered(wire, b"abc")
    wire.sendall(b"GET")
    assert ends(wire, b"x")


def test_body__may_be_slower_and_so_may_the_next_call(connect: Connect) -> None:
    wire = connect()
    wire.sendall(WHOLE)
    for piece in (b"a", b"b", b"c"):
        time.sleep(0.2)
        wire.sendall(piece)
    assert answered(wire, b"abc")
    time.sleep(0.5)
    wire.sendall(WHOLE + b"def")
    assert answered(wire, b"def")
