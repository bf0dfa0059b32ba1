"""Databases, servers and keep-alive connections for the measurements."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
POSTGRES = os.environ.get("TEST_DATABASE_URL", "postgres://postgres@127.0.0.1:5432/postgres")


@contextmanager
def database(kind: str) -> Iterator[str]:
    """The URL of a fresh database, dropped afterwards."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            yield f"sqlite:///{folder}/bench.sqlite3"
        return
    import psycopg

    name = f"workforce_bench_{os.getpid()}"
    admin = POSTGRES.replace("postgres://", "postgresql://")
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {name}")
    try:
        yield POSTGRES.rsplit("/", 1)[0] + f"/{name}"
    finally:
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def environment(url: str, settings: str = "workforce_site.settings", **more: str) -> dict[str, str]:
    """The environment of a deployed process: keys, no debugging, no write rate."""
    return {
        **os.environ,
        "DATABASE_URL": url,
        "DJANGO_SETTINGS_MODULE": settings,
        "SECRET_KEY": "only-for-benchmarks",
        "DEBUG": "0",
        "WRITE_RATE": "",
        "LOG_LEVEL": "WARNING",
        **more,
    }


def manage(env: dict[str, str], *words: str) -> str:
    """Run a management command and return what it printed."""
    done = subprocess.run(
        [sys.executable, "manage.py", *words], cwd=ROOT, env=env, check=True, capture_output=True, text=True
    )
    return done.stdout


@contextmanager
def server(env: dict[str, str], *words: str) -> Iterator[int]:
    """A serving process on a free port."""
    with server_process(env, *words) as (port, _):
        yield port


@contextmanager
def server_process(env: dict[str, str], *words: str) -> Iterator[tuple[int, int]]:
    """A serving process: its port, and its process id."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--bind", f"127.0.0.1:{port}", *words], cwd=ROOT, env=env,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(200):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(timeout=20)


def call(method: str, path: str, key: str, body: Any = None) -> bytes:
    """The bytes of one call."""
    payload = b"" if body is None else json.dumps(body).encode()
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n"
    )
    return head.encode() + payload


async def _connection(
    port: int, request: bytes | Iterator[bytes], ends: float, times: list[float], wanted: bytes
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while time.perf_counter() < ends:
        sent = request if isinstance(request, bytes) else next(request)
        started = time.perf_counter()
        writer.write(sent)
        head = await reader.readuntil(b"\r\n\r\n")
        status = head[9:12]
        length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
        body = await reader.readexactly(int(length.split(b":")[1]))
        if status != wanted:
            raise SystemExit(f"answered {status.decode()}: {body[:300].decode()}")
        times.append(time.perf_counter() - started)
    writer.close()


def rate(
    port: int, request: bytes | Iterator[bytes], *, connections: int, seconds: float, wanted: str
) -> float:
    """Answers per second over so many connections; ``request`` is one for all calls, or one for each."""
    times: list[float] = []

    async def run() -> None:
        ends = time.perf_counter() + seconds
        await asyncio.gather(
            *(_connection(port, request, ends, times, wanted.encode()) for _ in range(connections))
        )

    started = time.perf_counter()
    asyncio.run(run())
    return len(times) / (time.perf_counter() - started)


def median(values: list[float]) -> float:
    return statistics.median(values)
