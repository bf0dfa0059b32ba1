"""Real server processes for stories: each with a database of its own, on a free loopback port."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Server:
    """A running server: where it listens, and the environment of its commands."""

    port: int
    environment: dict[str, str]
    log: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def manage(self, *words: str) -> str:
        """Run a command of manage.py on the server's database; its standard output."""
        return manage(self.environment, *words)


def manage(environment: dict[str, str], *words: str) -> str:
    """Run a command of manage.py; its standard output."""
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def serving(folder: Path, *options: str, **variables: str) -> Iterator[Server]:
    """A migrated and running server in open mode, unless ``variables`` say otherwise; stopped at the end."""
    environment = environment_in(folder, **variables)
    manage(environment, "migrate", "-v0")
    port = _free_port()
    log = folder / "server.log"
    with log.open("w") as sink:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--bind", f"127.0.0.1:{port}", *options],
            cwd=ROOT,
            env=environment,
            stdout=sink,
            stderr=subprocess.STDOUT,
        )
    server = Server(port, environment, log)
    try:
        _wait_until_up(server, process)
        yield server
    finally:
        process.terminate()
        try:
            process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def environment_in(folder: Path, **variables: str) -> dict[str, str]:
    """The environment of a development machine, with its database in the folder."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    own = {
        "DEBUG": "1",
        "DATABASE_URL": f"sqlite:///{folder / 'story.sqlite3'}",
        "SQLITE_SYNCHRONOUS": "NORMAL",
    }
    return {**kept, **own, "LOG_LEVEL": "WARNING", "PYTHONUNBUFFERED": "1", **variables}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_up(server: Server, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        assert process.poll() is None, server.log.read_text()
        try:
            if httpx.get(f"{server.url}/healthz", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError(f"the server is not up: {server.log.read_text()}")
