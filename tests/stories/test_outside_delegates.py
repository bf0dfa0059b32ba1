"""An agent outside that works for a worker and a coordinator inside, while the servers between them die."""

from __future__ import annotations

import random
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.fakes.openai import Asked, FakeOpenAI, Reply, calls, says
from tests.stories.server import Server, open_server, until
from tests.stories.test_delegation import Desk, how, kill_and_restart
from tests.trees import record, write_tree

pytestmark = pytest.mark.story
JOBS, POSTS = 6, 6
DELEGATES = "delegates: [crew.wren]"
MAKE = """
from messaging.inbox.services.admitting import admit_actor
from messaging.inbox.services.opening import create_inbox
from workforce.models import Organization, User
organization = Organization.objects.get()
inbox = create_inbox(organization=organization, slug="support")
made = admit_actor(
    organization=organization, passname="wren", user=User.objects.get(), grants=[], inbox=inbox, scope="write"
)
print(made[2])
"""


def tree(root: Path) -> Path:
    files = {
        "teams/crew/TEAM.md": record(),
        "teams/crew/workers/wren/WORKER.md": record("flow: external\npassname: wren\ninbox: support", ""),
        "teams/crew/workers/lead/WORKER.md": record(DELEGATES, "You are lead."),
        "teams/crew/workers/all/WORKER.md": record(
            f"flow: coordinator\nrouting: everyone\n{DELEGATES}", "You are all."
        ),
    }
    return write_tree(root, files)


def play(asked: Asked) -> Reply:
    """The lead's model: it files one task for each job."""
    roles = [message["role"] for message in asked.body["messages"]]
    called = roles[len(roles) - 1 - roles[::-1].index("user") :].count("tool")
    job = re.search(r"Job \d+", asked.prompt)
    if "A task that you filed" in asked.prompt or job is None:
        return says("Heard.")
    return says("Filed.") if called else calls(("addTask_tasks", {"goal": job[0]}))


@dataclass
class Agent:
    """Pulls from whichever server answers and replies to each request; what got no answer is sent again."""

    servers: list[Server]
    key: str
    stopped: threading.Event = field(default_factory=threading.Event)
    turn: int = 0

    def call(self, path: str, body: dict[str, Any]) -> Any:
        """One call, repeated until a server has answered it."""
        while not self.stopped.is_set():
            self.turn += 1
            server = self.servers[self.turn % len(self.servers)]
            try:
                with server.client(self.key) as api:
                    answer = api.post(f"/api/inboxes/support/{path}", json=body, timeout=5)
            except httpx.TransportError:
                time.sleep(0.05)
                continue
            if answer.status_code < 500:
                assert answer.status_code in (200, 201, 409), answer.text
                return answer.json()
        return {"items": []}

    def work(self) -> None:
        while not self.stopped.is_set():
            for item in self.call("pull/", {"type": "request"})["items"]:
                reply = {"type": "message", "payload": {"text": "Done."}, "replyingTo": item["id"]}
                self.call("messages/", reply)
                self.call(f"messages/{item['id']}/complete/", {})
            time.sleep(0.05)


@contextmanager
def working(agent: Agent) -> Iterator[Agent]:
    thread = threading.Thread(target=agent.work)
    thread.start()
    try:
        yield agent
    finally:
        agent.stopped.set()
        thread.join()


@pytest.fixture
def fake() -> Iterator[FakeOpenAI]:
    with FakeOpenAI(play) as running:
        yield running


def endings(desk: Desk) -> list[str]:
    """The goals of the tasks whose output came back to the lead."""
    words = re.compile(r'Task "(.+)" \(task_\w+\) was completed: Done\.')
    return [match[1] for line in desk.lines("lead") if (match := words.fullmatch(line["text"]))]


def test_story__servers_die_while_an_agent_outside_works_for_workers_inside(
    tmp_path: Path, fake: FakeOpenAI
) -> None:
    dice = random.Random(11)
    with ExitStack() as stack:
        first = stack.enter_context(open_server(tmp_path, **how(fake)))
        first.manage("load_workforce", str(tree(tmp_path / "tree")))
        key = first.manage("shell", "-v0", "-c", MAKE).strip()
        (beside := tmp_path / "second").mkdir()
        second = stack.enter_context(open_server(beside, database_url=first.database_url, **how(fake)))
        stack.enter_context(working(Agent([first, second], key)))
        desk = Desk(stack.enter_context(httpx.Client(base_url=first.url, timeout=30)))
        for number in range(JOBS):
            desk.say("lead", f"Job {number}")
        for number in range(POSTS):
            desk.say("all", f"Post {number}")
        kill_and_restart([first, second], dice)
        until(lambda: len(desk.answers("all")) >= POSTS, seconds=120, what="every answer")
        until(lambda: len(endings(desk)) >= JOBS, seconds=120, what="every ending")
        heard = [f"Job {number}" for number in range(JOBS)]
        until(
            lambda: [line["text"] for line in desk.lines("lead")].count("Heard.") >= JOBS,
            seconds=60,
            what="every turn on an ending",
        )
        assert sorted(endings(desk)) == heard
        assert Counter(desk.answers("all")) == {("crew.wren", "Done."): POSTS}
        assert [line["text"] for line in desk.lines("lead")].count("Heard.") == JOBS
