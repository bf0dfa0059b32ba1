"""An OpenAI-compatible endpoint on loopback that says what a test scripts: answers, tool calls, faults.

    with FakeOpenAI(calls(("post-to-mailbox", {"mailbox": "support.help", "body": "Hi"})), says("Done.")) as fake:
        ...  # WORKFORCE_MODEL_BASE_URL=fake.url, WORKFORCE_MODEL=any-name
        assert fake.asked[0].prompt == ...

Replies are given in order and the last one is repeated. A reply may be a function of what was asked, so that
several conversations at once can be told apart.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Asked:
    """One call as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    def texts(self, role: str) -> list[str]:
        """The texts of the messages of a role, in order; the instructions are ``system``."""
        return [
            str(message.get("content") or "") for message in self.body["messages"] if message["role"] == role
        ]

    @property
    def prompt(self) -> str:
        """The last thing that the user's side said."""
        return self.texts("user")[-1]

    @property
    def instructions(self) -> str:
        return "\n\n".join(self.texts("system"))

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the model may call."""
        return [tool["function"]["name"] for tool in self.body.get("tools", ())]


@dataclass(frozen=True)
class Reply:
    """What is sent back: ``raw`` bytes with a status, after a delay; or nothing, the connection just ends."""

    status: int = 200
    raw: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    hangs_up: bool = False


Says = Reply | Callable[[Asked], Reply]


def says(text: str | None, *, delay: float = 0.0, tokens: tuple[int, int] = (11, 7)) -> Reply:
    """An answer of the model."""
    return _completion({"role": "assistant", "content": text}, "stop", tokens, delay)


def calls(*tools: tuple[str, Any], tokens: tuple[int, int] = (11, 7)) -> Reply:
    """The model calls tools, each a name and arguments; arguments that are text are sent as they are."""
    asked = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": given if isinstance(given, str) else json.dumps(given)},
        }
        for number, (name, given) in enumerate(tools)
    ]
    return _completion({"role": "assistant", "content": None, "tool_calls": asked}, "tool_calls", tokens, 0.0)


def refuses(status: int, message: str = "no", *, code: str | None = None, retry_after: str = "") -> Reply:
    """An error as OpenAI words it."""
    error = {"error": {"message": message, "type": "error", "param": None, "code": code}}
    headers = {"Retry-After": retry_after} if retry_after else {}
    return Reply(status, json.dumps(error).encode(), headers)


def sends(raw: str | bytes, *, status: int = 200, type: str = "application/json") -> Reply:
    """Whatever a test wants to see on the wire."""
    return Reply(status, raw.encode() if isinstance(raw, str) else raw, {"Content-Type": type})


def hangs_up() -> Reply:
    """The connection ends without an answer."""
    return Reply(hangs_up=True)


def _completion(message: dict[str, Any], reason: str, tokens: tuple[int, int], delay: float) -> Reply:
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "fake",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)},
    }
    return Reply(200, json.dumps(body).encode(), delay=delay)


class FakeOpenAI:
    """The endpoint, as a context manager. ``asked`` are the calls in the order of their arrival."""

    def __init__(self, *replies: Says) -> None:
        self.replies: list[Says] = list(replies) or [says("Yes.")]
        self.asked: list[Asked] = []
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """What WORKFORCE_MODEL_BASE_URL is set to."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _next(self, asked: Asked) -> Reply:
        with self._lock:
            number = len(self.asked)
            self.asked.append(asked)
        reply = self.replies[min(number, len(self.replies) - 1)]
        return reply if isinstance(reply, Reply) else reply(asked)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = fake._next(Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
                fake._closing.wait(reply.delay)
                if reply.hangs_up or fake._closing.is_set():
                    return
                with contextlib.suppress(OSError):  # the caller did not wait
                    self._send(reply)

            def _send(self, reply: Reply) -> None:
                self.send_response(reply.status)
                for name, value in {"Content-Type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.raw)))
                self.end_headers()
                self.wfile.write(reply.raw)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler
