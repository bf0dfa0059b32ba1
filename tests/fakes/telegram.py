"""A Telegram bot API on loopback that keeps what it was sent and answers as a test says."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class FakeTelegram:
    """``with FakeTelegram() as fake:``; ``answers`` are (status, body) in order, the last one for good."""

    def __init__(self, *answers: tuple[int, Any]) -> None:
        self.answers = list(answers) or [(200, {"ok": True})]
        self.sent: list[tuple[str, dict[str, Any]]] = []
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                fake.sent.append((self.path, body))
                status, answer = fake.answers.pop(0) if len(fake.answers) > 1 else fake.answers[0]
                raw = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                if status in (301, 302, 307):
                    self.send_header("Location", f"{fake.url}/elsewhere")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, format: str, *args: Any) -> None:
                """Silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()


class Trickle:
    """A server that sends a byte now and then, of its ``head`` or of its ``body``, and would take a minute."""

    def __init__(self, part: str) -> None:
        self.is_through = threading.Event()
        self._leaves = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._whole = b"HTTP/1.1 200 OK\r\nContent-Length: 600\r\n\r\n" if part == "body" else b""

    def __enter__(self) -> Self:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leaves.set()
        self._listener.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            caller, _ = self._listener.accept()
            with caller:
                caller.recv(65_536)
                caller.sendall(self._whole)
                for _ in range(600):
                    if self._leaves.wait(0.1):
                        return
                    caller.sendall(b" " if self._whole else b"H")
                self.is_through.set()
