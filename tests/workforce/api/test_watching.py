"""Who is woken by what the database says: everybody for a change, and no more than there is for a count."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from workforce import waits
from workforce.selectors import versions
from workforce.waits import register_feed
from workforce_site import watching
from workforce_site.watching import Watcher

#: What the counted topics say, by key; and how often they were looked at.
RICE: dict[str, str] = {}
LOOKS: list[list[str]] = []


def _read(keys: list[str]) -> dict[str, str]:
    LOOKS.append(keys)
    return {key: RICE[key] for key in keys if key in RICE}


@pytest.fixture(autouse=True)
def bowls() -> Iterator[None]:
    """A counted sort and a plain one."""
    RICE.clear()
    LOOKS.clear()
    versions.register_topic("bowl", _read, counted=True)
    versions.register_topic("note", _read)
    yield
    del versions.READERS["bowl"], versions.READERS["note"]
    versions.COUNTED.discard("bowl")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "INTERVAL", 0.01)
    monkeypatch.setattr(watching, "close_old_connections", lambda: None)


async def told(
    watcher: Watcher, topics: list[dict[str, str]], *, takes: str = "", seconds: float = 0.3
) -> list[int]:
    """Which of those who wait are woken, in the order that they are; each takes one of ``takes``."""
    woken: list[int] = []

    async def wait(number: int, seen: dict[str, str]) -> None:
        if await watcher.wait(seen, seconds):
            woken.append(number)
            if takes:
                RICE[takes] = str(int(RICE[takes]) - 1)

    await asyncio.gather(*(wait(number, seen) for number, seen in enumerate(topics)))
    return woken


def test_count__wakes_no_more_than_it_is_for_and_the_first_first() -> None:
    RICE["a"] = "2"
    assert asyncio.run(told(Watcher(), [{"bowl:a": "0"}] * 5, takes="a")) == [0, 1]
    assert RICE["a"] == "0"


def test_count__what_is_left_wakes_the_next() -> None:
    """One that was woken and took nothing keeps nobody waiting."""
    RICE["a"] = "1"
    assert asyncio.run(told(Watcher(), [{"bowl:a": "0"}] * 3)) == [0, 1, 2]


def test_count__is_each_topics_own() -> None:
    async def story() -> list[int]:
        RICE.update(a="1", b="0", c="")
        watcher = Watcher()
        waiting = asyncio.ensure_future(
            told(watcher, [{"bowl:b": "0"}, {"bowl:a": "0"}, {"bowl:c": "0"}, {"bowl:gone": "0"}])
        )
        await asyncio.sleep(0.1)
        return await waiting

    assert asyncio.run(story()) == [1]


def test_change__wakes_everybody_a_count_or_not() -> None:
    RICE.update(a="0", n="2")
    seen = {"bowl:a": "0", "note:n": "1"}
    assert asyncio.run(told(Watcher(), [seen, seen, {"bowl:a": "0"}])) == [0, 1]


def test_look__stops_when_nobody_waits() -> None:
    async def story() -> int:
        await told(Watcher(), [{"note:n": ""}] * 50, seconds=0.05)
        await asyncio.sleep(0.05)
        looks = len(LOOKS)
        await asyncio.sleep(0.1)
        return len(LOOKS) - looks

    assert asyncio.run(story()) == 0
    assert all(keys == ["n"] for keys in LOOKS)


def test_feed__is_read_once_for_all_who_ask_at_the_same_moment() -> None:
    asked: list[tuple[int, int]] = []

    def feed(key: int, after: int) -> dict[str, Any] | None:
        asked.append((key, after))
        return {"after": after} if key == 7 else None

    async def story(watcher: Watcher) -> list[Any]:
        several = [watcher.read("soup:7", 3) for _ in range(10)]
        return await asyncio.gather(*several, watcher.read("soup:7", 4), watcher.read("soup:8", 4))

    register_feed("soup", feed)
    try:
        told = asyncio.run(story(Watcher()))
    finally:
        del waits._FEEDS["soup"]
    assert told == [{"after": 3}] * 10 + [{"after": 4}, None]
    assert sorted(asked) == [(7, 3), (7, 4), (8, 4)]
