"""A worker kind of a deployment's own: it receives by declaring the entry, and sends by including the toolset."""

from __future__ import annotations

from typing import Any

import pytest

from messaging.models import WorkerMessage
from tests.messaging.delegation.offices import Office, below, lines, texts
from workforce.kinds import Action, Call, Mode, Work, WorkerKind, registry
from workforce.kinds.agent_settings import TurnSettings
from workforce.kinds.messages import MessageDelivery, get_postman
from workforce.models import Seat, Session
from workforce.turns.running import Ask, Outcome, finish_turn, take_turn
from workforce.workers.delegate import DELEGATED_POST, TASK_SETTLED


class Poet(WorkerKind):
    """Reads messages in verse, takes a coordinator's posts, and hears of its own tasks."""

    name = "poet"
    settings = TurnSettings
    sends_messages = True  # the tool messageWorker

    def declare_actions(self) -> list[Action]:
        return [
            Action(
                name="onWorkerMessage",  # receives
                input=MessageDelivery,
                work=self.read,
                run=self.end,
                mode=Mode.BACKGROUND,
                public=False,
                serial=True,
            ),
            Action(name="hum", input=MessageDelivery, run=lambda call: None),
            DELEGATED_POST,
            TASK_SETTLED,
        ]

    def read(self, work: Work) -> Outcome:
        delivery: MessageDelivery = work.input
        return take_turn(work, Ask(delivery.line(), charter="Answer in verse.", about={"message": delivery}))

    def end(self, call: Call) -> Any:
        outcome: Outcome = call.worked
        if outcome.failure is None:
            get_postman().answer(call, call.input, outcome.text)  # the final text goes to who asked
        return finish_turn(call, outcome)


@pytest.fixture
def poet(office: Office, monkeypatch: pytest.MonkeyPatch) -> Seat:
    monkeypatch.setattr(registry, "_KINDS", {**registry._KINDS, "poet": Poet()})
    return office.hire("bard", kind="poet", delegates=["scout"])


def log() -> list[tuple[str, str, str]]:
    return list(WorkerMessage.objects.order_by("pk").values_list("sender", "recipient", "text"))


def test_custom_kind__receives_and_its_final_text_is_the_answer(office: Office, poet: Seat) -> None:
    talk = office.lead("", kind="agent")
    office.script("lead", [("messageWorker", {"to": "bard", "text": "Name a flower."})], "Asked.", "Thanks.")
    office.script("bard", "A rose is a rose.")
    office.say(talk)
    assert log() == [("lead", "bard", "Name a flower."), ("bard", "lead", "A rose is a rose.")]


def test_custom_kind__sends(office: Office, poet: Seat) -> None:
    office.lead("", kind="agent")
    talk = office.conversation(Seat.objects.get(seat_id="lead"), "first")
    office.script("lead", [("messageWorker", {"to": "bard", "text": "Ask the clerk."})], "Asked.")
    office.hire("clerk")
    office.script("bard", [("messageWorker", {"to": "clerk", "text": "What rhymes?"})], "I ask.", "Good.")
    office.say(talk)
    assert ("bard", "clerk", "What rhymes?") in log()
    assert "messageWorker" in office.tools("bard", 0)


def test_custom_kind__takes_a_coordinators_posts(office: Office, poet: Seat) -> None:
    talk = office.lead("everyone", "bard")
    office.script("bard", "O Paris!")
    office.say(talk)
    assert lines(talk)[1:] == [("worker", "bard", "O Paris!")]


def test_custom_kind__with_delegates_files_tasks_and_hears_of_them(office: Office, poet: Seat) -> None:
    office.hire("scout")
    talk = office.lead("everyone", "bard")
    office.script("bard", [("addTask_tasks", {"goal": "Find a rhyme."})], "Wait.", "Found.")
    office.say(talk)
    own: Session = below(talk, "bard")
    assert [text for text in texts(own) if text.startswith("Task ")][0].endswith(
        "was completed: scout did it."
    )
    assert texts(own)[-1] == "Found."
