"""Workers of real processes ask each other: the codename of the spring launch, a chain that ends, deaths on the way."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.fakes.openai import Asked, FakeOpenAI, Reply, calls, says
from tests.stories.brokers import BROKERS, answers, server_on
from tests.stories.server import Server, Worker, until
from tests.trees import record, write_tree

pytestmark = [
    pytest.mark.story,
    pytest.mark.skipif(not answers(BROKERS["redis"]), reason="no redis on this machine"),
]
#: Short, so that a death costs seconds.
QUICK = {"DISPATCH_LEASE_SECONDS": "2", "DISPATCH_SWEEP_SECONDS": "1", "SQLITE_SYNCHRONOUS": "NORMAL"}


class Crew:
    """A server without workers of its own, and two Celery workers beside it, on Redis."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.api = httpx.Client(base_url=server.url, timeout=30)
        self.workers = [Worker(server, "w1"), Worker(server, "w2")]
        self._number = 2

    def kill_one(self, dice: random.Random) -> None:
        victim = dice.randrange(2)
        self.workers[victim].kill()
        self._number += 1
        self.workers[victim] = Worker(self.server, f"w{self._number}")

    def session(self, worker: str) -> str:
        answer = self.api.post(f"/api/workers/{worker}/ensure-session", json={})
        assert answer.status_code in (200, 201), answer.text
        session: str = answer.json()["id"]
        return session

    def say(self, worker: str, text: str) -> str:
        path = f"/api/flows/agent/{self.session(worker)}/actions/run"
        answer = self.api.post(path, json={"input": {"message": text}})
        assert answer.status_code == 202, answer.text
        request: str = answer.json()["request"]["id"]
        return request

    def log(self, *chains: str) -> list[dict[str, Any]]:
        """The log of these chains, oldest first."""
        found: list[dict[str, Any]] = self.api.get("/api/messages", params={"limit": 200}).json()["items"]
        return [entry for entry in found[::-1] if entry["chain"] in chains]

    def items(self, worker: str) -> list[dict[str, Any]]:
        path = f"/api/sessions/{self.session(worker)}/items"
        found: list[dict[str, Any]] = self.api.get(path, params={"limit": 200}).json()["items"]
        return sorted(found, key=lambda item: item["seq"])

    def requests(self, worker: str) -> list[dict[str, Any]]:
        path = f"/api/sessions/{self.session(worker)}/requests"
        found: list[dict[str, Any]] = self.api.get(path, params={"limit": 200}).json()["items"]
        return found

    def lines(self, worker: str) -> list[str]:
        return [item["data"]["text"] for item in self.items(worker) if item["type"] == "message"]

    def wait_until_quiet(self, *workers: str) -> None:
        def quiet() -> bool:
            rows = [row for worker in workers for row in self.requests(worker)]
            return all(row["status"] not in ("pending", "in_progress") for row in rows)

        until(quiet, seconds=60, what="the end of every turn")


def name_of(asked: Asked) -> str:
    return asked.instructions.partition("You are ")[2].partition(".")[0]


def is_after_a_tool(asked: Asked) -> bool:
    """Whether the model is asked again in the same turn, after its call of a tool."""
    return bool(asked.body["messages"][-1]["role"] == "tool")


def ask(worker: str, text: str = "What is the codename of the spring launch?") -> Reply:
    return calls(("messageWorker", {"to": f"launch.{worker}", "text": text}))


def codename(asked: Asked) -> Reply:
    """The researchers ask the chief, who knows."""
    if name_of(asked) == "chief":
        return says("It is Bluebird.")
    if is_after_a_tool(asked):
        return says("I asked the chief; the answer comes.")
    if asked.prompt.startswith("Message msg_"):
        return says("The codename of the spring launch is Bluebird.")
    return ask("chief")


def fan_out(asked: Asked) -> Reply:
    """The hub asks three at once, each of which asks it back, and so on."""
    if is_after_a_tool(asked):
        return says("Passed on.")
    if name_of(asked) != "hub":
        return ask("hub", "Who knows more?")
    return calls(*(("messageWorker", {"to": f"launch.{name}", "text": "Hm?"}) for name in SPOKES))


SPOKES = ("a", "b", "c")
ASKERS = [f"r{number}" for number in range(4)]
WORKERS = ["researcher", "chief", "hub", *SPOKES, *ASKERS]


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeOpenAI]:
    """An endpoint for all of them: each is told its own name."""
    with FakeOpenAI(
        lambda asked: (fan_out if name_of(asked) in ("hub", *SPOKES) else codename)(asked)
    ) as fake:
        yield fake


@pytest.fixture(scope="module")
def crew(tmp_path_factory: pytest.TempPathFactory, fake: FakeOpenAI) -> Iterator[Crew]:
    folder = tmp_path_factory.mktemp("launch")
    variables = {
        "DEBUG": "1",
        "WORKFORCE_AUTH": "open",
        "WORKFORCE_MODEL": "fake",
        "WORKFORCE_MODEL_BASE_URL": fake.url,
        **QUICK,
    }
    files = {"teams/launch/TEAM.md": record()}
    for name in WORKERS:
        path = f"teams/launch/workers/{name}/WORKER.md"
        files[path] = record("flow: agent", f"You are {name}.", description=f"Is {name}.")
    with server_on("redis", folder, **variables) as server:
        server.manage("load_workforce", str(write_tree(folder / "tree", files)))
        crew = Crew(server)
        yield crew
        for worker in crew.workers:
            worker.kill()
        crew.api.close()


def test_story__the_codename_of_the_spring_launch(crew: Crew, fake: FakeOpenAI) -> None:
    chain = crew.say("launch.researcher", "What is the spring launch called?")
    until(lambda: len(crew.lines("launch.researcher")) == 4, what="the answer to the user")
    assert crew.lines("launch.researcher") == [
        "What is the spring launch called?",
        "I asked the chief; the answer comes.",
        "From launch.chief: It is Bluebird.",
        "The codename of the spring launch is Bluebird.",
    ]
    assert crew.lines("launch.chief") == [
        "From launch.researcher: What is the codename of the spring launch?",
        "It is Bluebird.",
    ]
    asked, answer = crew.log(chain)
    assert [entry["hop"] for entry in (asked, answer)] == [1, 2]
    assert (answer["replyTo"], answer["exchange"], answer["automatic"]) == (asked["id"], asked["id"], True)
    [sent] = [item["data"] for item in crew.items("launch.researcher") if item["type"] == "tool_output"]
    assert sent["output"] == {"sent": asked["id"], "hopsLeft": 5}
    prompts = [one.prompt for one in fake.asked if name_of(one) == "chief"]
    assert prompts[0].startswith(f"Message {asked['id']} from launch.researcher:\n\n")
    crew.wait_until_quiet("launch.researcher", "launch.chief")
    assert len(crew.log(chain)) == 2


def test_story__six_hops_across_a_fan_out_and_the_seventh_is_refused(crew: Crew) -> None:
    workers = [f"launch.{name}" for name in ("hub", *SPOKES)]
    chain = crew.say("launch.hub", "Ask around.")
    until(lambda: len(crew.log(chain)) == 6, what="six messages")
    crew.wait_until_quiet(*workers)
    log = crew.log(chain)
    assert sorted(entry["hop"] for entry in log) == [1, 2, 3, 4, 5, 6]
    rows = [row for worker in workers for row in crew.requests(worker)]
    assert {row["status"] for row in rows} == {"completed"}
    items = [item for worker in workers for item in crew.items(worker) if item["type"] == "tool_output"]
    outputs = [item["data"]["output"] for item in items]
    refused = [output["error"] for output in outputs if "error" in output]
    assert refused and all("stop passing on, and say so" in error for error in refused), outputs
    assert len(outputs) - len(refused) == len([entry for entry in log if "automatic" not in entry])


def test_story__workers_die_while_others_wait_for_their_answers(crew: Crew) -> None:
    dice, lines, kills = random.Random(7), 4, 3
    asked = [(asker, number) for number in range(lines) for asker in ASKERS]
    chains = [crew.say(f"launch.{asker}", f"What is it? ({number})") for asker, number in asked]
    for _ in range(kills):
        time.sleep(dice.uniform(0.2, 1.5))
        crew.kill_one(dice)
    until(lambda: len(crew.log(*chains)) >= 2 * len(chains), seconds=60, what="every answer")
    crew.wait_until_quiet("launch.chief", *(f"launch.{asker}" for asker in ASKERS))
    log = crew.log(*chains)
    assert Counter(entry["chain"] for entry in log) == Counter(chains * 2)
    assert {entry["status"] for entry in log} == {"delivered"}
    heard = Counter(crew.lines("launch.chief"))
    for asker in ASKERS:
        rows = crew.requests(f"launch.{asker}")
        assert Counter(row["action"] for row in rows) == {"run": lines, "onWorkerMessage": lines}
        assert {row["status"] for row in rows} == {"completed"}
        told = Counter(crew.lines(f"launch.{asker}"))
        assert told["From launch.chief: It is Bluebird."] == lines
        assert told["The codename of the spring launch is Bluebird."] == lines
        assert heard[f"From launch.{asker}: What is the codename of the spring launch?"] == lines
