"""Kinds of a deployment's own: one receives by its entry, and one sends by a mark. As docs/worker-messages.md says."""

from __future__ import annotations

from typing import Any

import pytest

from messaging.models import WorkerMessage
from tests.messaging.messages.conftest import NoSettings
from tests.messaging.messages.office import Office, to
from workforce.kinds import Action, Call, ClosedModel, Failure, Mode, Work, WorkerKind, registry
from workforce.kinds.messages import MessageDelivery, get_postman
from workforce.toolsets import tools_for
from workforce.turns.running import Ask, Outcome, finish_turn, take_turn


class PoetSettings(ClosedModel):
    model: str | None = None


def read(work: Work) -> Outcome:
    delivery: MessageDelivery = work.input
    ask = Ask(delivery.line(), charter="Answer in verse.", author=delivery.sender, needs_answer=False)
    return take_turn(work, ask)


def end(call: Call) -> Failure | dict[str, Any]:
    if call.worked.failure is None:
        get_postman().answer(call, call.input, call.worked.text)
    return finish_turn(call, call.worked)


class Poet(WorkerKind):
    """Receives, and sends: it has no public action."""

    name = "poet"
    settings = PoetSettings
    sends_messages = True

    def declare_actions(self) -> list[Action]:
        return [
            Action(
                "onWorkerMessage",
                MessageDelivery,
                end,
                work=read,
                mode=Mode.BACKGROUND,
                serial=True,
                public=False,
            )
        ]


class Bell(WorkerKind):
    """Receives without a model, and sends nothing."""

    name = "bell"
    settings = NoSettings

    def declare_actions(self) -> list[Action]:
        return [
            Action(
                "onWorkerMessage",
                MessageDelivery,
                lambda call: {"rang": call.input.text},
                mode=Mode.BACKGROUND,
                serial=True,
                public=False,
            )
        ]


@pytest.fixture
def studio(office: Office, monkeypatch: pytest.MonkeyPatch) -> Office:
    kinds: dict[str, Any] = {"poet": Poet(), "bell": Bell()}
    monkeypatch.setattr(registry, "_KINDS", {**registry._KINDS, **kinds})
    office.hire("ann", to("poet", "A line, please."), "Asked.", "Thanks.")
    office.hire("poet", kind="poet", settings={"model": "test:poet"})
    office.hire("bell", kind="bell")
    return office


def test_custom_kind__receives_and_its_final_text_is_the_answer(studio: Office) -> None:
    studio.script("poet", "Roses.")
    studio.say("ann")
    assert studio.said() == [("ann", "poet", "A line, please."), ("poet", "ann", "Roses.")]
    assert studio.shown("poet")[0] == "ann| From ann: A line, please."


def test_custom_kind__sends_when_it_is_marked(studio: Office) -> None:
    studio.script("poet", to("bell", "Ring."), "")
    studio.say("ann")
    assert studio.said()[1] == ("poet", "bell", "Ring.")
    assert [tool.name for tool in tools_for(studio.turn("bell")) if tool.name == "messageWorker"] == []


def test_custom_kind__without_a_model_receives(studio: Office) -> None:
    studio.script("ann", to("bell", "Ring."), "Rung.")
    studio.say("ann")
    [message] = WorkerMessage.objects.all()
    assert message.to_session is not None
    [request] = message.to_session.requests.all()
    assert request.output == {"rang": "Ring."}
