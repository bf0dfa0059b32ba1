"""How long until a post is visible on every open page, and what open streams hold.

Run: python -m benchmarks.following [--streams 1 50 200] [--posts 60]. Each stream is followed by a client of its own
process-wide event loop; a post is made every 100 ms, and its lag on a stream is from the moment before the call to the
moment its event was read there. Threads and database connections of the server are counted with and without streams.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import time
from pathlib import Path

import httpx

from benchmarks.serving import database, environment, manage, server_process

SEED = """
from mailboxes.state import opening_state
from workforce.models import Organization, Session, User
Session.objects.create(organization=Organization.objects.get(slug="default"), kind="mailbox", address="bench.open",
    owner=User.objects.get(username="bench"), state=opening_state(members=[], charter=""))
"""
PATH = "/api/sessions/bench.open/stream"
POST = "/api/flows/mailbox/bench.open/actions/post"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, nargs="*", default=[1, 50, 200])
    parser.add_argument("--posts", type=int, default=60)
    parser.add_argument("--databases", nargs="*", default=["sqlite", "postgres"])
    options = parser.parse_args()
    print(
        "database  streams  post to visible: p50  p99  max ms   threads (none open)  connections (none open)"
    )
    for kind in options.databases:
        for streams in options.streams:
            with database(kind) as url:
                measure(kind, url, streams, options.posts)


def measure(kind: str, url: str, streams: int, posts: int) -> None:
    variables = environment(url)
    manage(variables, "migrate", "--verbosity", "0")
    manage(variables, "organization", "create", "default")
    words = ["actor", "add", "bench-agent", "--user", "bench", "--format", "json"]
    key = json.loads(manage(variables, *words, "--grant", "flows:write", "--grant", "flows:read"))["key"]
    manage(variables, "shell", "--verbosity", "0", "-c", SEED)
    with server_process(variables, "--no-worker") as (port, pid):
        asyncio.run(_run(kind, port, pid, key, url, streams, posts))


async def _run(kind: str, port: int, pid: int, key: str, url: str, streams: int, posts: int) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(
        base_url=f"http://127.0.0.1:{port}", headers=headers, limits=limits, timeout=60
    ) as client:
        for _ in range(20):  # threads of the pool and their connections are made before anything is counted
            await asyncio.gather(*[_post(client, "warm") for _ in range(16)])
        before = _threads(pid), _connections(url)
        sent: dict[str, float] = {}
        lags: list[float] = []
        opened = asyncio.Semaphore(0)
        tasks = [asyncio.create_task(_follow(client, sent, lags, opened)) for _ in range(streams)]
        for _ in range(streams):
            await opened.acquire()
        most = (0, 0)
        for number in range(posts):
            body = f"line {number}"
            sent[body] = time.perf_counter()
            await _post(client, body)
            await asyncio.sleep(0.1)
            most = max(most[0], _threads(pid)), max(most[1], _connections(url))
        while len(lags) < streams * posts:
            await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()
    lags.sort()
    p50, p99 = lags[len(lags) // 2], lags[int(len(lags) * 0.99)]
    print(
        f"{kind:9} {streams:7} {p50:21.0f} {p99:4.0f} {lags[-1]:4.0f} {most[0]:12} ({before[0]})"
        f" {most[1]:20} ({before[1]})",
        flush=True,
    )


async def _post(client: httpx.AsyncClient, body: str) -> None:
    answer = await client.post(POST, json={"input": {"body": body}})
    assert answer.status_code == 202, answer.text


async def _follow(
    client: httpx.AsyncClient, sent: dict[str, float], lags: list[float], opened: asyncio.Semaphore
) -> None:
    async with client.stream("GET", f"{PATH}?after=320") as answer:
        assert answer.status_code == 200
        opened.release()
        async for line in answer.aiter_lines():
            found = re.search(r'"body":"(line \d+)"', line)
            if found:
                lags.append((time.perf_counter() - sent[found[1]]) * 1000)


def _threads(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


def _connections(url: str) -> int:
    if not url.startswith("postgres"):
        return 0
    import psycopg

    name = url.rpartition("/")[2]
    with psycopg.connect(url.replace("postgres://", "postgresql://")) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()", [name]
        ).fetchone()
    assert row is not None
    return int(row[0])


if __name__ == "__main__":
    main()
