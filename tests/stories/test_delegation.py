"""Delegation with real processes: a coordinator of each mode, and servers that die while work is handed around."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fakes.openai import Asked, FakeOpenAI, Reply, calls, says
from tests.stories.server import Server, open_server, until
from tests.trees import record, write_tree

pytestmark = pytest.mark.story
JOBS, POSTS, KILLS = 4, 4, 2
RECOVERED = "from tests.stories.desk import wait_until_recovered; wait_until_recovered()"
DELEGATES = "delegates: [crew.scout, crew.clerk]"
SCOUT = "Scouts find places, roads, rivers and mountains on maps."
CLERK = "Clerks know forms, invoices, taxes and receipts."


def tree(root: Path) -> Path:
    files = {
        "teams/crew/TEAM.md": record(),
        "teams/crew/workers/scout/WORKER.md": record("", "You are scout.", description=SCOUT),
        "teams/crew/workers/clerk/WORKER.md": record("", "You are clerk.", description=CLERK),
        "teams/crew/workers/lead/WORKER.md": record(DELEGATES, "You are lead."),
    }
    modes = {
        "judge": "judgment",
        "fit": "best-fit\nfallback: crew.clerk",
        "turn": "round-robin",
        "all": "everyone",
    }
    for name, mode in modes.items():
        keys = f"flow: coordinator\nrouting: {mode}\n{DELEGATES}"
        files[f"teams/crew/workers/{name}/WORKER.md"] = record(keys, f"You are {name}.")
    return write_tree(root, files)


def play(asked: Asked) -> Reply:
    """Every worker's model: the lead files two tasks for each job, the judge hands off, the others do it."""
    roles = [message["role"] for message in asked.body["messages"]]
    called = roles[len(roles) - 1 - roles[::-1].index("user") :].count("tool")
    if "You are judge." in asked.instructions:
        return says("The scout looks.") if called else calls(("handOff", {"worker": "crew.scout"}))
    if "You are lead." in asked.instructions:
        job = re.search(r"Job \d+", asked.prompt)
        if "A task that you filed" in asked.prompt or job is None:
            return says("Heard.")
        goals = [(worker, f"{job[0]} for {worker}") for worker in ("crew.scout", "crew.clerk")]
        filing = [("addTask_tasks", {"goal": goal, "assignee": worker}) for worker, goal in goals]
        return says("Filed.") if called else calls(*filing)
    return says("Done.", delay=random.uniform(0.02, 0.2))


class Desk:
    """One user's conversations on a server."""

    def __init__(self, api: httpx.Client) -> None:
        self.api = api

    def talk(self, worker: str) -> str:
        answer = self.api.post(f"/api/workers/crew.{worker}/ensure-session", json={})
        return str(answer.json()["id"])

    def say(self, worker: str, message: str) -> None:
        flow = "agent" if worker == "lead" else "coordinator"
        path = f"/api/flows/{flow}/{self.talk(worker)}/actions/run"
        answer = self.api.post(path, json={"input": {"message": message}})
        assert answer.status_code == 202, answer.text

    def items(self, worker: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor: str | None = ""
        while cursor is not None:
            params = {"limit": "100", **({"cursor": cursor} if cursor else {})}
            page = self.api.get(f"/api/sessions/{self.talk(worker)}/items", params=params).json()
            found += page["items"]
            cursor = page.get("nextCursor")
        return found

    def lines(self, worker: str) -> list[dict[str, Any]]:
        return [item["data"] for item in self.items(worker) if item["type"] == "message"]

    def answers(self, worker: str) -> list[tuple[str, str]]:
        return [(line["author"], line["text"]) for line in self.lines(worker) if line["role"] == "worker"]

    def routes(self, worker: str) -> list[tuple[str, list[str]]]:
        rows = [item["data"] for item in self.items(worker) if item.get("component") == "coordinator-route"]
        return [(row["by"], [one["worker"] for one in row["delegates"]]) for row in rows]


@pytest.fixture
def fake() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(play) as running:
        yield running


def how(fake: FakeOpenAI) -> dict[str, str]:
    return {
        "WORKFORCE_MODEL": "openai:scripted",
        "WORKFORCE_MODEL_BASE_URL": fake.url,
        "WORKFORCE_MODEL_API_KEY": "sk-only-for-stories",
        "DISPATCH_LEASE_SECONDS": "3",
        "DISPATCH_SWEEP_SECONDS": "1",
    }


def test_story__a_coordinator_of_each_mode(tmp_path: Path, fake: FakeOpenAI) -> None:
    with open_server(tmp_path, **how(fake)) as server, httpx.Client(base_url=server.url, timeout=30) as api:
        server.manage("load_workforce", str(tree(tmp_path / "tree")))
        desk = Desk(api)
        for worker in ("judge", "fit", "turn", "turn", "all"):
            desk.say(worker, "Which forms and receipts do my taxes need?")
        until(lambda: len(desk.answers("all")) == 2 and len(desk.answers("turn")) == 2, what="the answers")
        until(lambda: desk.answers("judge") and desk.answers("fit"), what="the other answers")
        assert desk.routes("judge") == [("judged", ["crew.scout"])]
        assert desk.routes("fit") == [("evaluated", ["crew.clerk"])]
        assert desk.routes("turn") == [("turn", ["crew.scout"]), ("turn", ["crew.clerk"])]
        assert desk.routes("all") == [("everyone", ["crew.scout", "crew.clerk"])]
        assert sorted(desk.answers("all")) == [("crew.clerk", "Done."), ("crew.scout", "Done.")]
        desk.say("lead", "Job 0")
        until(lambda: [line["text"] for line in desk.lines("lead")].count("Heard.") == 2, what="the endings")


def test_story__servers_die_while_work_is_handed_around(tmp_path: Path, fake: FakeOpenAI) -> None:
    dice = random.Random(7)
    with ExitStack() as stack:
        first = stack.enter_context(open_server(tmp_path, **how(fake)))
        first.manage("load_workforce", str(tree(tmp_path / "tree")))
        (beside := tmp_path / "second").mkdir()
        second = stack.enter_context(open_server(beside, database_url=first.database_url, **how(fake)))
        desk = Desk(stack.enter_context(httpx.Client(base_url=first.url, timeout=30)))
        for number in range(JOBS):
            desk.say("lead", f"Job {number}")
        for number in range(POSTS):
            desk.say("all", f"Post {number}")
        kill_and_restart([first, second], dice)
        until(lambda: len(desk.answers("all")) >= 2 * POSTS, seconds=120, what="every delegate's answer")
        until(lambda: len(_endings(desk)) >= 2 * JOBS, seconds=120, what="every ending")
        until(lambda: _heard(desk) >= 2 * JOBS, seconds=60, what="every turn on an ending")
        assert Counter(author for author, _ in desk.answers("all")) == {
            "crew.scout": POSTS,
            "crew.clerk": POSTS,
        }
        endings = _endings(desk)
        assert len(endings) == len(set(endings)) == 2 * JOBS
        assert len(desk.routes("all")) == POSTS
        assert _heard(desk) == 2 * JOBS


def kill_and_restart(servers: list[Server], dice: random.Random) -> None:
    for number in range(KILLS):
        if number:  # nothing dies three times, which is given up by design
            servers[0].manage("shell", "-v0", "-c", RECOVERED)
        time.sleep(dice.uniform(0.3, 1.2))
        victim = servers[number % len(servers)]
        victim.kill()
        victim.start()


def _endings(desk: Desk) -> list[str]:
    """What the lead heard: goal and words of each line about a task."""
    found = [
        re.fullmatch(r'Task "(.+)" \(task_\w+\) was completed: Done\.', line["text"])
        for line in desk.lines("lead")
    ]
    return [match[1] for match in found if match]


def _heard(desk: Desk) -> int:
    return [line["text"] for line in desk.lines("lead")].count("Heard.")
