"""Workers are killed at random points while posts fan out: every member is woken once, nothing is left pending.

On every broker of this machine. STORY_FULL=1 makes it the whole thing: 200 posts and 50 kills for each.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.stories.brokers import each_broker, server_on
from tests.stories.desk import MEMBERS, ROUTED, TOLD
from tests.stories.server import Server, Worker

pytestmark = pytest.mark.story
POSTS, KILLS = (200, 50) if os.environ.get("STORY_FULL") else (15, 3)
#: Short, so that a death costs seconds.
QUICK = {"DISPATCH_LEASE_SECONDS": "2", "DISPATCH_SWEEP_SECONDS": "1", "SQLITE_SYNCHRONOUS": "NORMAL"}


class Crew:
    """What runs the requests: the server itself, or two workers beside it."""

    def __init__(self, server: Server, broker: str) -> None:
        self.server, self.inside = server, broker == "embedded"
        self.number = 0
        self.workers = [] if self.inside else [self._worker(), self._worker()]

    def _worker(self) -> Worker:
        self.number += 1
        return Worker(self.server, f"w{self.number}")

    def kill_one(self, dice: random.Random) -> None:
        """A death as by a power cut, and a successor."""
        if self.inside:
            self.server.kill()
            self.server.start()
            return
        victim = dice.randrange(len(self.workers))
        self.workers[victim].kill()
        self.workers[victim] = self._worker()

    def lose_messages(self) -> None:
        """The broker forgets everything that was on its way."""
        url = self.server.environment["CELERY_BROKER_URL"]
        if url.startswith("redis"):
            import redis

            redis.Redis.from_url(url).delete(self.server.environment["CELERY_QUEUE"])

    def end(self) -> None:
        for worker in self.workers:
            worker.kill()


def run(server: Server, words: str) -> str:
    return server.manage("shell", "-v0", "-c", f"from tests.stories import desk; desk.{words}()").strip()


def post(server: Server, key: str, address: str, body: str) -> None:
    """Post until it is answered: the same key makes it one line, whatever dies meanwhile."""
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": body}
    deadline = time.monotonic() + 60
    while True:
        try:
            answer = httpx.post(
                f"{server.url}/api/flows/mailbox/{address}/actions/post",
                json={"input": {"body": body}},
                headers=headers,
                timeout=40,
            )
        except httpx.TransportError:
            assert time.monotonic() < deadline
            time.sleep(0.05)  # it is being started again
            continue
        assert answer.status_code == 202, answer.text
        return


@pytest.mark.parametrize("broker", each_broker())
def test_story__workers_are_killed_while_posts_fan_out(tmp_path: Path, broker: str) -> None:
    dice = random.Random(11)
    with server_on(broker, tmp_path, **QUICK) as server:
        key = run(server, "seed")
        crew = Crew(server, broker)
        try:
            boxes = [*TOLD, *ROUTED]
            kills = sorted(dice.sample(range(2, POSTS), min(KILLS, POSTS - 2)))
            for number in range(POSTS):
                post(server, key, boxes[number % len(boxes)], f"Question {number} about the trade of anns")
                if number in kills:
                    time.sleep(dice.uniform(0, 0.4))  # at a random point of what follows from the post
                    crew.kill_one(dice)
                    crew.lose_messages()
                    run(server, "wait_until_recovered")
            run(server, "wait_until_done")
        finally:
            crew.end()
        told = json.loads(run(server, "report"))
        check(told)
        assert told["diedIn"] > 0  # or nothing was proved


def check(told: dict[str, Any]) -> None:
    posts = told["posts"]
    assert len(posts) == POSTS
    assert told["failed"] == []
    assert told["unfinished"] == 0
    wanted = Counter[tuple[str, str, str]]()
    for post_id, address in posts:
        if address in TOLD:
            wanted.update({(address, post_id, member): 1 for member in MEMBERS})
    woken = {tuple(row[:3]): row[3] for row in told["woken"]}
    assert {key: count for key, count in woken.items() if key[0] in TOLD} == wanted
    assert set(woken.values()) == {1}
    assert {row[2] for row in told["heard"]} == {1}
    assert len(told["heard"]) == len(woken)
    routed = {post_id for post_id, address in posts if address in ROUTED}
    assert sorted(told["routes"]) == sorted(routed)
    assert sorted(told["answered"]) == sorted(routed)
    assert told["seatLines"] == len(routed)
