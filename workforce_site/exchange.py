"""One HTTP exchange as plain values, so that a view can be asked more than once."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

#: Seconds that a client may take to send its body.
BODY_TIMEOUT = 60
#: What is kept of a body in memory; the rest is read and dropped.
KEPT = 8 * 1024 * 1024
INTERNAL = b"x-workforce-"


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer of a view."""

    status: int
    headers: Headers
    body: bytes

    def header(self, name: str) -> str | None:
        wanted = name.lower().encode()
        return next((value.decode("latin-1") for key, value in self.headers if key.lower() == wanted), None)


class BodyGone(Exception):
    """The client went away while sending its body."""


class BodyTooSlow(Exception):
    """The client needed longer for its body than it may."""


def clean_scope(scope: Scope) -> Scope:
    """The scope without headers that could pass for others, with a query of ASCII only and a method in capitals.

    A WSGI environment writes ``X-A`` and ``X_A`` alike, so names with an underscore are dropped, as every
    proxy does; our own internal headers are dropped too.
    """
    headers = [
        (name, value)
        for name, value in scope["headers"]
        if b"_" not in name and not name.lower().startswith(INTERNAL)
    ]
    query = scope["query_string"]
    if not query.isascii():
        query = quote(query, safe="!#$%&'()*+,/:;=?@[]~").encode()
    # As Django reads it, so that both see the same call.
    return {**scope, "headers": headers, "query_string": query, "method": scope["method"].upper()}


async def read_body(receive: Receive, *, limit: int) -> tuple[bytes, int]:
    """The body as far as ``limit`` bytes, and how many bytes came. Stops reading after 8 MiB.

    Raises BodyGone when the client leaves, BodyTooSlow when it needs longer than a minute.
    """
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(BODY_TIMEOUT):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise BodyGone
                chunk = message.get("body", b"")
                if size < limit:
                    parts.append(chunk[: limit - size])
                size += len(chunk)
                if not message.get("more_body", False) or size > KEPT:
                    return b"".join(parts), size
    except TimeoutError:
        raise BodyTooSlow from None


def with_length(scope: Scope, size: int) -> Scope:
    """The scope with the true length of the body, which a chunked request does not tell.

    Of a body that was not read to its end, the length that the client declared, when it did.
    """
    declared = max((int(value) for name, value in scope["headers"] if name == b"content-length"), default=0)
    size = max(size, declared)
    headers = [pair for pair in scope["headers"] if pair[0] not in (b"content-length", b"transfer-encoding")]
    if size:
        headers.append((b"content-length", str(size).encode()))
    return {**scope, "headers": headers}


def with_header(scope: Scope, name: str, value: str) -> Scope:
    """The scope with one header more."""
    return {**scope, "headers": [*scope["headers"], (name.lower().encode(), value.encode("latin-1"))]}


def replay(body: bytes) -> Receive:
    """A receiver that hands the body over once."""
    sent = False

    async def receive() -> MutableMapping[str, Any]:
        nonlocal sent
        if sent:
            return {"type": "http.disconnect"}
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def ask(app: App, scope: Scope, body: bytes) -> Answer:
    """Run the application once and keep its answer."""
    status, headers, parts = 500, list[tuple[bytes, bytes]](), list[bytes]()

    async def send(message: MutableMapping[str, Any]) -> None:
        nonlocal status, headers
        if message["type"] == "http.response.start":
            status, headers = message["status"], list(message["headers"])
        else:
            parts.append(message.get("body", b""))

    await app(scope, replay(body), send)
    return Answer(status=status, headers=headers, body=b"".join(parts))


async def tell(send: Send, answer: Answer) -> None:
    """Send a whole answer, without the headers that are between view and server."""
    headers = [pair for pair in answer.headers if not pair[0].lower().startswith(INTERNAL)]
    if not any(name.lower() == b"content-length" for name, _ in headers) and answer.status not in (204, 304):
        headers.append((b"content-length", str(len(answer.body)).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})


def plain_answer(status: int, body: dict[str, Any], *, media: bytes, close: bool = False) -> Answer:
    """An answer that no view gives."""
    headers = [(b"content-type", media), (b"x-request-id", uuid.uuid4().hex.encode())]
    if close:
        headers.append((b"connection", b"close"))
    return Answer(status=status, headers=headers, body=json.dumps(body).encode())


async def until_gone(receive: Receive) -> None:
    """Return when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass
