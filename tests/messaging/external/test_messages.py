"""A worker's message becomes an item; the reply to it is the message's answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from messaging.inbox.models import Inbox
from messaging.models import WorkerMessage
from tests.conftest import Player
from tests.messaging.external.conftest import SEAT, Outside, hire_outside
from tests.messaging.inbox.conftest import admit
from tests.messaging.messages.office import Office, to
from workforce.models import Request, Session
from workforce.turns.models import forget_model, register_model

pytestmark = pytest.mark.django_db


@dataclass
class Desk:
    """An agent inside, ``lead``, and the agent outside."""

    office: Office
    outside: Outside

    def ask(self, text: str = "What is the codename?") -> None:
        self.office.script("lead", to(SEAT, text), "I asked.")
        self.office.say("lead")


@pytest.fixture
def desk(owner: Player, inbox: Inbox) -> Iterator[Desk]:
    office = Office(owner)
    register_model("test:", office.model)
    office.hire("lead")
    agent = admit(inbox, "wren", user=owner.user)
    yield Desk(office, Outside(owner, Session(), hire_outside(owner.organization), agent))
    forget_model("test:")


def test_message__becomes_an_item_and_the_reply_its_answer(desk: Desk) -> None:
    desk.ask()
    item = desk.outside.item()
    asked = WorkerMessage.objects.get()
    assert (item["type"], item["topic"], item["sender"]) == ("message", "worker-message", "workforce")
    assert (item["payload"]["from"], item["payload"]["messageId"]) == ("lead", asked.message_id)
    desk.office.script("lead", "Thanks.")
    desk.outside.reply(item, "Kestrel.")
    answer = WorkerMessage.objects.order_by("pk").last()
    assert answer is not None
    assert (answer.sender, answer.recipient, answer.text) == (SEAT, "lead", "Kestrel.")
    assert (answer.reply_to, answer.chain_uid) == (asked.message_id, asked.chain_uid)
    assert desk.outside.refusals() == []
    assert "Kestrel." in desk.office.asked["lead"][-1][0]


def test_reply__too_long_for_a_worker_message_is_refused_to_the_actor(desk: Desk) -> None:
    desk.ask()
    desk.outside.reply(desk.outside.item(), "x" * 8001)
    (told,) = desk.outside.refusals()
    assert told["payload"]["refused"] == "message_too_long" and told["topic"] == "worker-message"
    assert WorkerMessage.objects.count() == 1


def test_reply__past_the_chains_limit_is_refused_to_the_actor(desk: Desk, settings: object) -> None:
    settings.WORKER_MESSAGES = {"hop_limit": 1, "per_turn": 3}  # type: ignore[attr-defined]
    desk.ask()
    desk.outside.reply(desk.outside.item())
    assert [one["payload"]["refused"] for one in desk.outside.refusals()] == ["hop_limit"]


def test_reply__to_a_worker_that_is_gone_is_refused_to_the_actor(desk: Desk) -> None:
    desk.ask()
    item = desk.outside.item()
    desk.office.caller.organization.seats.filter(seat_id="lead").update(retired_at=desk.outside.seat.hired_at)
    desk.outside.reply(item)
    assert [one["payload"]["refused"] for one in desk.outside.refusals()] == ["no_worker"]


def test_unreachable_agent__fails_the_delivery(desk: Desk) -> None:
    type(desk.outside.seat).objects.filter(seat_id=SEAT).update(
        settings={"passname": "ghost", "inbox": "release"}
    )
    desk.ask()
    failed = Request.objects.get(action="onWorkerMessage", status="failed")
    assert failed.error is not None and failed.error["code"] == "outside-unreachable"
