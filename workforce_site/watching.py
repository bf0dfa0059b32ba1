"""One look at the database for every waiting call of this process."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import structlog
from django.db import DatabaseError, close_old_connections

from workforce.selectors.versions import is_counted, versions_of
from workforce.waits import read_feed

#: Seconds between two looks while somebody waits; nobody waits, nothing is read.
INTERVAL = 0.05
log = structlog.get_logger(__name__)


@dataclass(eq=False, slots=True)
class _Waiter:
    seen: Mapping[str, str]
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    #: Which topics woke it.
    topics: frozenset[str] = frozenset()


class Watcher:
    """Wakes each waiting call when a topic it saw has another version.

    However many calls wait, one thread and one connection look, at most twenty times a second.
    """

    def __init__(self) -> None:
        #: In the order they came.
        self._waiters: dict[_Waiter, None] = {}
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="watch")
        self._task: asyncio.Task[None] | None = None
        self._reads: dict[tuple[str, int], asyncio.Future[dict[str, Any] | None]] = {}
        #: Set when the server is stopping: nobody waits any more.
        self.closed = False

    def close(self) -> None:
        """Let every waiting call go on at once. Call it in the event loop."""
        self.closed = True
        for waiter in self._waiters:
            waiter.changed.set()

    async def wait(self, seen: Mapping[str, str], seconds: float) -> frozenset[str]:
        """The topics whose version is no longer the one seen; none when the time is up, or nobody may wait."""
        if self.closed:
            return frozenset()
        waiter = _Waiter(seen)
        self._waiters[waiter] = None
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look())
        try:
            async with asyncio.timeout(seconds):
                await waiter.changed.wait()
            return waiter.topics
        except TimeoutError:
            return frozenset()
        finally:
            self._waiters.pop(waiter, None)

    async def read(self, feed: str, after: int) -> dict[str, Any] | None:
        """What a feed shows after the number, read once for all who ask at the same moment.

        None when it cannot be told: the session is gone, or the database away.
        """
        running = self._reads.get((feed, after))
        if running is None:
            loop = asyncio.get_running_loop()
            running = asyncio.ensure_future(loop.run_in_executor(self._thread, _feed, feed, after))
            self._reads[feed, after] = running
            running.add_done_callback(lambda _: self._reads.pop((feed, after), None))
        return await asyncio.shield(running)

    async def _look(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiters:
            topics = {topic for waiter in self._waiters for topic in waiter.seen}
            try:
                present = await loop.run_in_executor(self._thread, _read, topics)
            except DatabaseError as error:
                log.warning("watch_failed", reason=type(error).__name__)
                await asyncio.sleep(1)
                continue
            for waiter, changed in _to_wake(self._waiters, present):
                waiter.topics = changed
                waiter.changed.set()
            await asyncio.sleep(INTERVAL)


def _to_wake(
    waiters: Iterable[_Waiter], present: Mapping[str, str]
) -> Iterator[tuple[_Waiter, frozenset[str]]]:
    """Those who saw another version, and of what, first come first; of a counted topic no more than it is for."""
    left = {topic: int(version or 0) for topic, version in present.items() if is_counted(topic)}
    for waiter in waiters:
        changed = [topic for topic, seen in waiter.seen.items() if present.get(topic, seen) != seen]
        if waiter.changed.is_set() or not changed:
            continue
        if all(topic in left for topic in changed):
            served = next((topic for topic in changed if left[topic] > 0), None)
            if served is None:
                continue
            left[served] -= 1
        yield waiter, frozenset(changed)


def _read(topics: set[str]) -> dict[str, str]:
    close_old_connections()
    return versions_of(topics)


def _feed(feed: str, after: int) -> dict[str, Any] | None:
    close_old_connections()
    try:
        return read_feed(feed, after)
    except DatabaseError as error:
        log.warning("feed_failed", reason=type(error).__name__)
        return None
