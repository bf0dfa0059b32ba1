"""The server is killed during parallel sends and transitions: what was answered is there once, nothing is half there.

STORY_FULL=1 makes it the whole thing: 20 rounds of 200 calls.
"""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.stories.server import Server

pytestmark = pytest.mark.story
ROUNDS, CALLS = (20, 200) if os.environ.get("STORY_FULL") else (2, 40)
THREADS = 8


@dataclass
class Team:
    """Three that send to each other; what was answered, and what nobody knows of."""

    server: Server
    keys: dict[str, str]
    #: The ids of answered sends by payload, and those of answered completions by whom.
    sent: dict[str, str] = field(default_factory=dict)
    senders: dict[str, str] = field(default_factory=dict)
    completed: set[tuple[str, str]] = field(default_factory=set)
    unknown: list[tuple[str, str]] = field(default_factory=list)

    def send(self, client: httpx.Client, name: str, payload: str) -> None:
        body = {"type": "request", "topic": "work", "payload": payload}
        try:
            answer = self._call(client, name, "messages", body, {"Idempotency-Key": payload})
        except httpx.TransportError:
            self.unknown.append((name, payload))
            return
        self.sent[payload], self.senders[answer["id"]] = answer["id"], name

    def complete(self, client: httpx.Client, name: str, message: str) -> None:
        try:
            answer = self._call(client, name, f"messages/{message}/complete", {}, {})
        except httpx.TransportError:
            return
        assert answer["state"] == "completed"
        self.completed.add((message, name))

    def _call(
        self, client: httpx.Client, name: str, path: str, body: Any, headers: dict[str, str]
    ) -> dict[str, Any]:
        head = {"Authorization": f"Bearer {self.keys[name]}", **headers}
        answer = client.post(f"{self.server.url}/api/inboxes/release/{path}", json=body, headers=head)
        if answer.status_code == 503:  # it is going down, or the database is busy
            raise httpx.TransportError(answer.text)
        assert answer.status_code in (200, 201), answer.text
        found: dict[str, Any] = answer.json()
        return found

    def round(self, number: int, dice: random.Random) -> None:
        """Calls from all sides at once, and a death among them."""
        names, before = list(self.keys), list(self.sent.values())
        killed = threading.Event()
        done = Counter[str]()
        kill_at = dice.randrange(CALLS // 4, CALLS - CALLS // 4)

        def one(place: int) -> None:
            if killed.is_set():
                return
            name = names[place % len(names)]
            if place % 2 or not before:
                self.send(client, name, f"{number}.{place}")
            else:
                message = before[place % len(before)]
                others = [other for other in names if other != self.senders[message]]
                self.complete(client, others[place // 2 % 2], message)
            done["calls"] += 1

        def kill() -> None:
            while done["calls"] < kill_at:
                time.sleep(0.002)
            self.server.kill()
            killed.set()

        with httpx.Client(timeout=30) as client, ThreadPoolExecutor(THREADS + 1) as pool:
            death = pool.submit(kill)
            calls = [pool.submit(one, place) for place in range(CALLS)]
            for call in calls:
                call.result()
            done["calls"] = CALLS
            death.result()
        self.server.start()

    def repeat_unknown(self) -> None:
        """What nobody knows of is sent again, under the same key."""
        with httpx.Client(timeout=30) as client:
            while self.unknown:
                self.send(client, *self.unknown.pop())


def walk(server: Server, words: str) -> dict[str, Any]:
    command = f"from tests.stories import ledgerwalk; ledgerwalk.{words}()"
    told: dict[str, Any] = json.loads(server.manage("shell", "-v0", "-c", command))
    return told


def test_story__what_was_answered_is_there_once_and_nothing_is_half_there(tmp_path: Path) -> None:
    dice = random.Random(7)
    with Server(tmp_path, "--no-worker", SQLITE_SYNCHRONOUS="NORMAL", WRITE_RATE="") as server:
        team = Team(server, walk(server, "seed"))
        for number in range(ROUNDS):
            team.round(number, dice)
            told = walk(server, "report")
            assert told["halves"] == []
            check_answered(team, told)
        assert team.unknown, "no call was under way when the server died; nothing was proved"
        asked = {payload for _, payload in team.unknown} | set(team.sent)
        team.repeat_unknown()
        told = walk(server, "report")
        assert told["halves"] == []
        assert sorted(payload for _, payload in told["messages"]) == sorted(asked)


def check_answered(team: Team, told: dict[str, Any]) -> None:
    """Everything that was answered is there, and nothing twice."""
    found = Counter(payload for _, payload in told["messages"])
    assert not [payload for payload, count in found.items() if count > 1]
    ids = {payload: key for key, payload in told["messages"]}
    assert {payload: ids.get(payload) for payload in team.sent} == team.sent
    closed = {(key, name) for key, name, state in told["closed"] if state == "completed"}
    assert team.completed <= closed
