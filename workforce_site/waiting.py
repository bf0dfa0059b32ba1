"""Calls that wait: held without a thread or a connection, and answered by the ordinary view."""

from __future__ import annotations

import asyncio
import json
import re
import time
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs

import structlog

from workforce.api.prefer import MAX_WAIT, read_preferences
from workforce.waits import FEED, RESUME, WAIT_FOR, read_watch_header
from workforce_site.exchange import Answer, App, Receive, Scope, Send, ask, tell, until_gone, with_header
from workforce_site.watching import Watcher

_STREAM = re.compile(
    r"/api/sessions/[A-Za-z0-9._~-]{1,200}/stream/?|/admin/workforce/session/[0-9]{1,19}/stream/"
)
log = structlog.get_logger(__name__)
PING_SECONDS = 15.0
#: How long a reader may leave what was sent to it unread.
SEND_SECONDS = 60.0
#: A stream ends after this, so that access is checked anew from the start.
STREAM_SECONDS = 15 * 60.0


def is_stream(scope: Scope) -> bool:
    """Whether the call follows a session."""
    return scope["method"] == "GET" and _STREAM.fullmatch(scope["path"]) is not None


def wanted_wait(scope: Scope) -> int:
    """How many seconds the call would like to wait; told before its body is read.

    A ``wait`` in the query is what counts when it is there: the views that take one do not read ``Prefer``.
    """
    if not scope["path"].startswith("/api/"):
        return 0
    asked = parse_qs(scope["query_string"].decode("ascii")).get("wait")
    if asked is not None:
        text = asked[-1]
        return min(int(text), MAX_WAIT) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    for name, value in scope["headers"]:
        if name == b"prefer" and (wait := read_preferences(value.decode("latin-1")).wait):
            return wait
    return 0


async def answer_when_done(
    app: App, watcher: Watcher, scope: Scope, body: bytes, receive: Receive, send: Send, *, seconds: int
) -> None:
    """Run the view; while it has no last word, wait for what it names and run it again, until time is up."""
    gone = asyncio.ensure_future(until_gone(receive))
    deadline = time.monotonic() + seconds
    try:
        answer = await ask(app, scope, body)
        while (wait_for := answer.header(WAIT_FOR)) is not None:
            left = deadline - time.monotonic()
            topics, resume = read_watch_header(wait_for)
            if left <= 0 or watcher.closed or not await _changed(watcher, topics, left, gone):
                break
            answer = await ask(app, with_header(scope, RESUME, resume) if resume else scope, body)
        if not gone.done():
            await tell(send, answer)
    finally:
        gone.cancel()


async def _changed(
    watcher: Watcher, topics: dict[str, str], seconds: float, gone: asyncio.Future[None]
) -> frozenset[str]:
    """The topics that changed in time; none when the client is not there any more."""
    waiting = asyncio.ensure_future(watcher.wait(topics, seconds))
    either: set[asyncio.Future[Any]] = {waiting, gone}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        # Nothing is done for a client that has left: what a claim took for it would be held by nobody.
        return waiting.result() if waiting.done() and not gone.done() else frozenset()
    finally:
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting


async def stream_session(app: App, watcher: Watcher, scope: Scope, receive: Receive, send: Send) -> None:
    """Server-sent events of a session: ``runs`` first, then each item once and in order, pings between.

    The view looks with the caller's own credential at the start, at every ping, and as soon as the key is no
    longer what it was: a frozen key ends the stream. What changes between is read once for all who follow.
    """
    gone = asyncio.ensure_future(until_gone(receive))
    ends = time.monotonic() + STREAM_SECONDS
    answer = await ask(app, with_header(scope, RESUME, ""), b"")
    try:
        if answer.status != 200:
            await tell(send, answer)
            return
        await _start_stream(send, answer)
        runs: Any = None
        state = _look(answer)
        while state is not None and not (gone.done() or watcher.closed or time.monotonic() > ends):
            await _send_events(send, state, with_runs=state["runs"] != runs)
            runs = state["runs"]
            after = state["items"][-1]["seq"] if state["items"] else state["after"]
            state = await _next_look(watcher, state, after, send, gone)
            if state is None:
                state = _look(await ask(app, with_header(scope, RESUME, str(after)), b""))
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    except TimeoutError:
        log.info("stream_not_read")  # the connection is closed
    finally:
        gone.cancel()


def _look(answer: Answer) -> dict[str, Any] | None:
    """What the view shows, what it watches, and the feed that may tell of it from now on; None when it refused."""
    if answer.status != 200:
        return None
    topics, _ = read_watch_header(answer.header(WAIT_FOR) or "")
    feed = answer.header(FEED)
    assert feed is not None
    return {**json.loads(answer.body), "watched": topics, "feed": feed}


async def _next_look(
    watcher: Watcher, state: dict[str, Any], after: int, send: Send, gone: asyncio.Future[None]
) -> dict[str, Any] | None:
    """What the feed shows after the next change; None when the view itself has to be asked."""
    watched, feed = state["watched"], state["feed"]
    if not state["more"]:
        changed = await _changed(watcher, watched, PING_SECONDS, gone)
        if not changed:
            await _send(send, "event: ping\ndata: {}\n\n")
            return None
        if not all(topic.startswith("session:") for topic in changed):
            return None
    found = await watcher.read(feed, after)
    return None if found is None else {**found, "watched": {**watched, **found["topics"]}, "feed": feed}


async def _start_stream(send: Send, first: Answer) -> None:
    headers = [
        (b"content-type", b"text/event-stream; charset=utf-8"),
        (b"cache-control", b"no-cache, no-transform"),
        (b"x-accel-buffering", b"no"),
        (b"x-request-id", (first.header("X-Request-Id") or "").encode("latin-1")),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})


async def _send_events(send: Send, state: dict[str, Any], *, with_runs: bool) -> None:
    events = []
    if with_runs:
        events.append(f"event: runs\ndata: {_json({'items': state['runs']})}\n\n")
    events += [f"event: item\nid: {item['seq']}\ndata: {_json(item)}\n\n" for item in state["items"]]
    if events:
        await _send(send, "".join(events))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


async def _send(send: Send, text: str) -> None:
    """Raises TimeoutError for a reader that does not read: its access could not be checked anew."""
    async with asyncio.timeout(SEND_SECONDS):
        await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
