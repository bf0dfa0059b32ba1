"""The ASGI application: streams and waits are async, everything else runs on the WSGI thread pool.

Measured on two cores, that serves near WSGI's speed, and hundreds of open streams without a thread or a
database connection each. See docs/server.md.
"""

from __future__ import annotations

from typing import Any, cast

from a2wsgi import WSGIMiddleware
from django.conf import settings

from workforce.api.problems import body_of
from workforce.errors import TooSlow
from workforce_site.exchange import (
    BODY_TIMEOUT,
    KEPT,
    App,
    BodyGone,
    BodyTooSlow,
    Receive,
    Scope,
    Send,
    ask,
    clean_scope,
    plain_answer,
    read_body,
    tell,
    with_length,
)
from workforce_site.waiting import answer_when_done, is_stream, stream_session, wanted_wait
from workforce_site.watching import Watcher
from workforce_site.wsgi import trusting_application

#: Threads that run ordinary calls. More only wait for the one writer of SQLite.
THREADS = 16


class Front:
    """Reads the body first, so that no thread waits for a slow client; then chooses the path."""

    def __init__(self, app: App) -> None:
        self.app = app
        self.watcher = Watcher()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        scope = clean_scope(scope)
        try:
            # One byte over the limit is enough to be refused; more of it would only fill the memory.
            kept = settings.MAX_BODY_BYTES + 1 if scope["path"].startswith("/api/") else KEPT
            body, size = await read_body(receive, limit=kept)
        except BodyGone:
            return
        except BodyTooSlow:
            problem = body_of(TooSlow(f"the body took longer than {BODY_TIMEOUT} seconds; send it anew"))
            await tell(send, plain_answer(408, problem, media=b"application/problem+json", close=True))
            return
        if scope["path"].rstrip("/") == "/healthz" and scope["method"] in ("GET", "HEAD"):
            # Answered here: a process whose threads all wait for a locked database is alive.
            await tell(send, plain_answer(200, {"status": "ok"}, media=b"application/json"))
            return
        scope = with_length(scope, size)
        if is_stream(scope):
            await stream_session(self.app, self.watcher, scope, receive, send)
        elif seconds := wanted_wait(scope):
            await answer_when_done(self.app, self.watcher, scope, body, receive, send, seconds=seconds)
        else:
            await tell(send, await ask(self.app, scope, body))


application = Front(cast(App, WSGIMiddleware(cast(Any, trusting_application), workers=THREADS)))
