"""A server as a real process, which can be killed and started again, and ways to talk to it."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 30.0  # seconds; only ever used up by a failure


def until(condition: Callable[[], Any], *, seconds: float = PATIENCE, what: str = "the condition") -> Any:
    """Wait for the condition and return its value. Fails when it does not come in time."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"{what} did not come within {seconds} s"
        time.sleep(0.01)
    return value


class Server:
    """``manage.py serve`` on a free loopback port.

    It has a database of its own: a file in ``folder``, or one in the PostgreSQL of TEST_DATABASE_URL, made and
    migrated at the start and dropped at the end. With ``database_url`` it works on that one and leaves it alone.
    """

    def __init__(
        self,
        folder: Path,
        *options: str,
        settings: str = "workforce_site.settings",
        database_url: str = "",
        **variables: str,
    ) -> None:
        self.folder, self.options = folder, options
        self.own = not database_url
        self.database_url = database_url or _own_database(folder)
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
        self.environment = {
            **kept,
            "DJANGO_SETTINGS_MODULE": settings,
            "DATABASE_URL": self.database_url,
            "SECRET_KEY": "only-for-stories",
            "WORKFORCE_AUTH": "keys",
            "LOG_LEVEL": "WARNING",
            "PYTHONUNBUFFERED": "1",
            **variables,
        }
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "server.log"
        self.process: subprocess.Popen[bytes] | None = None
        #: Why it was not ready when it was asked last.
        self.unready = ""

    def __enter__(self) -> Server:
        if self.own:
            _create(self.database_url)
            self.manage("migrate", "-v0")
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.kill()
        if self.own:
            _drop(self.database_url)

    def manage(self, *words: str) -> str:
        """Run a command of manage.py on the server's database; its standard output."""
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self) -> None:
        """Start the process and wait until it is ready."""
        with self.log.open("ab") as sink:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "serve", "--bind", f"127.0.0.1:{self.port}", *self.options],
                cwd=ROOT,
                env=self.environment,
                stdout=sink,
                stderr=subprocess.STDOUT,
            )
        deadline = time.monotonic() + 90
        while not self._is_ready():
            assert time.monotonic() < deadline, f"not ready ({self.unready}): {self.log.read_text()}"
            time.sleep(0.05)

    def kill(self) -> None:
        """End the process as a power cut would: it cannot tidy up."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def terminate(self) -> tuple[int, float]:
        """Ask the process to stop; its exit code, and how many seconds it took."""
        assert self.process is not None
        started = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(timeout=PATIENCE)
        return code, time.monotonic() - started

    def _is_ready(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.log.read_text()
        try:
            answer = httpx.get(f"{self.url}/readyz", timeout=10)
        except httpx.TransportError as error:
            self.unready = repr(error)
            return False
        self.unready = answer.text
        return answer.status_code == 200

    def client(self, key: str) -> httpx.Client:
        """A client of this server with a key."""
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE)


def open_server(folder: Path, *options: str, **variables: str) -> Server:
    """A server as on a development machine: open mode, and nobody needs a key."""
    return Server(folder, *options, DEBUG="1", WORKFORCE_AUTH="open", **variables)


class Worker:
    """``celery -A workforce_site worker`` with its beat, on the database and broker of a server."""

    def __init__(self, server: Server, name: str, *, threads: int = 4) -> None:
        self.log = server.folder / f"{name}.log"
        words = ["-P", "threads", "-c", str(threads), "-n", f"{name}@{uuid.uuid4().hex[:8]}", "-l", "WARNING"]
        words += ["-B", "-s", str(server.folder / f"{name}.beat")]
        with self.log.open("ab") as sink:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "celery", "-A", "workforce_site", "worker", *words],
                cwd=ROOT,
                env=server.environment,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def kill(self) -> None:
        """End it, and the beat that it started, as a power cut would."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def terminate(self) -> int:
        """Ask it to stop; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE)


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event."""

    name: str
    id: str | None
    data: Any


class Follower:
    """Follows a session's stream in a thread of its own."""

    def __init__(self, server: Server, path: str, **headers: str) -> None:
        self.events: list[Event] = []
        self.ended = threading.Event()
        self._wire = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        self._wire.request("GET", path, headers=headers)
        self.answer = self._wire.getresponse()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        fields: dict[str, str] = {}
        with contextlib.suppress(OSError, http.client.HTTPException, ValueError, AttributeError):
            while line := self.answer.readline():
                text = line.decode().rstrip("\n")
                if text:
                    name, _, value = text.partition(": ")
                    fields[name] = value
                elif fields:
                    self.events.append(Event(fields["event"], fields.get("id"), json.loads(fields["data"])))
                    fields = {}
        self.ended.set()

    def items(self) -> list[dict[str, Any]]:
        return [event.data for event in list(self.events) if event.name == "item"]

    def seqs(self) -> list[int]:
        return [item["seq"] for item in self.items()]

    def runs(self) -> list[list[str]]:
        """The seats that worked, each time that this was told."""
        told = [event.data["items"] for event in list(self.events) if event.name == "runs"]
        return [[run["seatId"] for run in runs] for runs in told]

    def close(self) -> None:
        """Leave, as a browser does."""
        with contextlib.suppress(OSError, AttributeError):
            self._wire.sock.shutdown(socket.SHUT_RDWR)
        self._thread.join(timeout=PATIENCE)
        self._wire.close()


def _own_database(folder: Path) -> str:
    postgres = os.environ.get("TEST_DATABASE_URL", "")
    if not postgres:
        return f"sqlite:///{folder / 'story.sqlite3'}"
    return urlunsplit(urlsplit(postgres)._replace(path=f"/story_{uuid.uuid4().hex[:12]}"))


def _create(url: str) -> None:
    _maintain(url, "CREATE DATABASE {name}")


def _drop(url: str) -> None:
    _maintain(url, "DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _maintain(url: str, statement: str) -> None:
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return
    import psycopg

    with psycopg.connect(urlunsplit(parts._replace(path="/postgres")), autocommit=True) as connection:
        connection.execute(statement.format(name=parts.path.removeprefix("/")))
