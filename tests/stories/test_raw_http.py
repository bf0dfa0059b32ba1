"""What only a raw socket can send: no 500, an answer that can be read, and nothing written."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest

from tests.stories.seeding import FAILED, SCRIPT
from tests.stories.server import Server, open_server

pytestmark = pytest.mark.story

POST = b"/api/flows/mailbox/desk.inbox/actions/post"
COUNT = (
    "from workforce.models import Item, Request, Session, User; "
    "print([model.objects.count() for model in (Item, Request, Session, User)])"
)


@dataclass(frozen=True)
class Reply:
    """What came back: 0 as the status when nothing did."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.body)
        return read


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with open_server(tmp_path_factory.mktemp("raw"), "--no-worker") as running:
        running.manage("shell", "-v0", "-c", SCRIPT)
        yield running
        assert "] defect" not in running.log.read_text()


@pytest.fixture(scope="module", autouse=True)
def nothing_written(server: Server) -> Iterator[None]:
    """All of the refused calls of this module together leave no row."""
    before = server.manage("shell", "-v0", "-c", COUNT)
    yield
    assert server.manage("shell", "-v0", "-c", COUNT) == before


def exchange(server: Server, raw: bytes, *, pieces: list[bytes] | None = None) -> Reply:
    """Send bytes as they are, then read the answer to its end."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as wire:
        wire.sendall(raw)
        for piece in pieces or []:
            wire.sendall(piece)
        return _read(wire)


def _read(wire: socket.socket) -> Reply:
    received = b""
    while chunk := wire.recv(65_536):
        received += chunk
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return Reply(int(first.split(" ")[1]) if first else 0, headers, body)


def call(method: bytes, path: bytes, *headers: bytes, body: bytes = b"", host: bytes = b"localhost") -> bytes:
    length = b"Content-Length: %d" % len(body)
    lines = [method + b" " + path + b" HTTP/1.1", b"Host: " + host, b"Connection: close", *headers, length]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def refused(reply: Reply, status: int, code: str) -> dict[str, Any]:
    assert reply.status == status, (reply.status, reply.body[:300])
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json["code"] == code, reply.json
    assert reply.headers["x-request-id"]
    return reply.json


JSON = b"Content-Type: application/json"
CHUNKED = (
    b"\r\n".join(
        [
            b"POST " + POST + b" HTTP/1.1",
            b"Host: localhost",
            b"Connection: close",
            JSON,
            b"Transfer-Encoding: chunked",
        ]
    )
    + b"\r\n\r\n"
)


def test_size__five_mebibytes_are_read_before_the_answer(server: Server) -> None:
    size = 5 * 1024 * 1024
    told = refused(exchange(server, call(b"POST", POST, JSON, body=b"x" * size)), 413, "too-large")
    assert (told["size"], told["limit"]) == (size, 1024 * 1024)
    assert str(size) in told["detail"] and str(1024 * 1024) in told["detail"]


def test_size__of_a_reading_call_counts_too(server: Server) -> None:
    body = b"x" * (2 * 1024 * 1024)
    refused(exchange(server, call(b"GET", b"/api/flows", JSON, body=body)), 413, "too-large")


def test_size__in_chunks_without_a_length(server: Server) -> None:
    piece = b"%x\r\n" % 65_536 + b"x" * 65_536 + b"\r\n"
    told = refused(exchange(server, CHUNKED, pieces=[piece] * 40 + [b"0\r\n\r\n"]), 413, "too-large")
    assert told["size"] == 40 * 65_536


def test_size__that_is_declared_beyond_what_is_drained(server: Server) -> None:
    """The answer comes when 8 MiB have come, with the size that was declared."""
    size = 64 * 1024 * 1024
    head = call(b"POST", POST, JSON).replace(b"Content-Length: 0", b"Content-Length: %d" % size)
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as wire:
        wire.sendall(head)
        for _ in range(8 * 16 + 1):
            wire.sendall(b"x" * 65_536)
        told = refused(_read(wire), 413, "too-large")
    assert told["size"] == size


def test_chunks__are_put_together(server: Server) -> None:
    """In two pieces, through the middle of a character."""
    body = '{"🙂":1}'.encode()
    pieces = [b"%x\r\n" % len(part) + part + b"\r\n" for part in (body[:4], body[4:])]
    reply = exchange(server, CHUNKED, pieces=[*pieces, b"0\r\n\r\n"])
    assert "🙂" in refused(reply, 400, "invalid-input")["detail"]


@pytest.mark.parametrize(
    "path", [b"/api/sessions/%00", b"/api/sessions?q=%00", b"/api/flows/%00/actions/post"]
)
def test_nul__in_the_path_or_query(server: Server, path: bytes) -> None:
    refused(exchange(server, call(b"GET", path)), 400, "invalid-input")


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        (b"/api/sessions/%zz", 404, "not-found"),
        (b"/api/sessions/%", 404, "not-found"),
        (b"/api/sessions/%FF%FE", 404, "not-found"),
        (b"/api/sessions/%ED%A0%80", 404, "not-found"),
        (b"/api/sessions/..%2F..%2Fadmin", 404, "not-found"),
        (b"/api/sessions/../flows", 404, "not-found"),
        (b"/api//sessions", 404, "not-found"),
        (b"/api/sessions/" + b"x" * 20_000, 404, "not-found"),
        (b"/api/sessions?%FF=1", 400, "unknown-parameter"),
        (b"/api/sessions?limit=%FF", 400, "invalid-input"),
        (b"/api/sessions?" + b"&".join([b"a=1"] * 2_000), 400, "invalid-input"),
        (b"/api/sessions?cursor=" + b"A" * 20_000, 400, "invalid-cursor"),
        (b"/api/sessions?wait=3", 400, "unknown-parameter"),
    ],
)
def test_path__that_is_broken(server: Server, path: bytes, status: int, code: str) -> None:
    refused(exchange(server, call(b"GET", path)), status, code)


@pytest.mark.parametrize("query", [b"q=\xff\xfe", b"q=\xc3\xbc", b"q=%zz", b"q=%", b"q=%ED%A0%80"])
def test_query__of_raw_bytes_is_text_or_no_http(server: Server, query: bytes) -> None:
    reply = exchange(server, call(b"GET", b"/api/sessions?userId=local&" + query))
    assert reply.status in (200, 400)
    if reply.status == 200:
        assert reply.json["items"] == []


@pytest.mark.parametrize(
    "raw",
    [
        b"\r\n\r\n",
        b"NONSENSE\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 60,
        b"GET /api/flows HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"GET /api/flows HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: a\x00b\r\n\r\n",
        b"GET /api/flows HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nA"
        + b"a" * 100_000
        + b": b\r\n\r\n",
        b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        call(b"POST", POST, JSON).replace(b"Content-Length: 0", b"Content-Length: -1"),
        call(b"POST", POST, JSON).replace(b"Content-Length: 0", b"Content-Length: 1e3"),
        call(b"POST", POST, JSON, b"Content-Length: 5", body=b"{}"),
        CHUNKED + b"zz\r\n",
    ],
)
def test_http__that_is_none(server: Server, raw: bytes) -> None:
    with (
        socket.create_connection(("127.0.0.1", server.port), timeout=20) as wire,
        suppress(ConnectionResetError, BrokenPipeError),  # no answer is an answer to what is no HTTP
    ):
        wire.sendall(raw)
        with suppress(OSError):  # the server may have closed first
            wire.shutdown(socket.SHUT_WR)
        reply = _read(wire)
        assert reply.status in (0, 400), (reply.status, reply.body[:200])
    assert exchange(server, call(b"GET", b"/healthz")).status == 200


def test_client__that_leaves_before_its_body_is_sent(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as wire:
        wire.sendall(call(b"POST", POST, JSON).replace(b"Content-Length: 0", b"Content-Length: 100") + b"{")
    assert exchange(server, call(b"GET", b"/healthz")).status == 200


@pytest.mark.parametrize("header", [b"X-User: \xff\xfe\x01", b"X-User: " + b"x" * 151, b"X-User: \xc2\xad"])
def test_user__that_cannot_be_made(server: Server, header: bytes) -> None:
    reply = exchange(server, call(b"GET", b"/api/flows", header))
    assert reply.status == 400


@pytest.mark.parametrize(
    "header",
    [
        b"X_User: mallory",
        b"X_Passname: mallory",
        b"X-Workforce-Resume: 1",
        b"X_Workforce_Resume: 1",
        b"x-workforce-resume: " + FAILED.encode(),
        b"X-Workforce-Wait-For: resume= session:1=0",
        b"Content_Length: 99999999",
        b"X-Forwarded-Host: evil.example",
    ],
)
def test_header__that_could_pass_for_another(server: Server, header: bytes) -> None:
    """Dropped: nobody is made by it, nothing is resumed, and the answer shows nothing internal."""
    body = b'{"input":{"body":"x","author":"nobody"},"userId":"local","metdata":1}'
    reply = exchange(server, call(b"POST", POST, JSON, header, body=body))
    refused(reply, 400, "invalid-input")
    assert not [name for name in reply.headers if name.startswith("x-workforce")]


def test_resume__cannot_show_a_request_of_another(server: Server) -> None:
    """A resumed call would skip its input; a client's never does."""
    path = b"/api/flows/mailbox/desk.inbox/actions/post"
    header = b"X-Workforce-Resume: " + FAILED.encode()
    refused(
        exchange(server, call(b"POST", path, JSON, header, b"Prefer: wait=1", body=b"{}")),
        400,
        "invalid-input",
    )


@pytest.mark.parametrize(
    "body", [b"\xff", b"[" * 20_000, b'{"input":{"body":"\\ud800"}}', b"9" * 10_000, b"null"]
)
@pytest.mark.parametrize("header", [b"X: y", b"Prefer: wait=5"])
def test_body__that_is_bad(server: Server, body: bytes, header: bytes) -> None:
    """Also where a wait was asked for: a refusal is told at once."""
    reply = exchange(server, call(b"POST", POST, JSON, header, body=body))
    assert reply.status == 400 and reply.json["code"] in {"invalid-json", "invalid-input"}


@pytest.mark.parametrize("method", [b"TRACE", b"OPTIONS", b"CONNECT", b"FOO"])
def test_method__that_is_not_answered(server: Server, method: bytes) -> None:
    reply = exchange(server, call(method, b"/api/flows"))
    refused(reply, 405, "method-not-allowed")
    assert reply.headers["allow"] == "GET, HEAD"


def test_method__in_small_letters_is_the_same(server: Server) -> None:
    assert exchange(server, call(b"get", b"/api/flows?userId=local")).status == 200


def test_path__with_a_slash_too_many(server: Server) -> None:
    refused(exchange(server, call(b"GET", b"//api/flows")), 404, "not-found")


def test_head__is_get_without_its_body(server: Server) -> None:
    reply = exchange(server, call(b"HEAD", b"/api/flows?userId=local"))
    assert (reply.status, reply.body) == (200, b"")
    assert int(reply.headers["content-length"]) > 0


def test_host__that_is_foreign(server: Server) -> None:
    refused(exchange(server, call(b"GET", b"/api/flows", host=b"evil.example")), 400, "invalid-input")


@pytest.mark.parametrize("last", [b"-1", b"x", b"9" * 30, b"1e3"])
def test_stream__with_a_bad_place_to_resume(server: Server, last: bytes) -> None:
    path = b"/api/sessions/desk.inbox/stream?userId=local"
    refused(exchange(server, call(b"GET", path, b"Last-Event-ID: " + last)), 400, "invalid-input")
