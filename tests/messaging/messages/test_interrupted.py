"""A turn that dies between its steps and is taken again sends each message once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from messaging.models import Chain
from messaging.services import sending
from tests.messaging.messages.office import Office, to
from workforce import clock
from workforce.models import Item, Request
from workforce.turns import keeping


class Died(BaseException):
    """The worker's process ends here."""


@pytest.fixture
def pair(office: Office) -> Office:
    office.hire("ann")
    office.hire("ben", "")
    return office


def die(office: Office, worker_id: str = "ann", text: str = "Go on.") -> Request:
    """A line of the user whose turn dies; its lease has lapsed."""
    request = office.say(worker_id, text, run=False)
    with pytest.raises(Died):
        office.run()
    lapse()
    return request


def lapse() -> None:
    moment = clock.now() - timedelta(seconds=1)
    Request.objects.filter(status="in_progress").update(lease_until=moment)


def check_sound(office: Office) -> None:
    """What was logged as delivered was delivered, once, and nothing else was; the counts say so."""
    delivered = [message for message in office.log() if message.status == "delivered"]
    keys = set(Request.objects.filter(action="onWorkerMessage").values_list("dispatch_key", flat=True))
    assert keys == {f"message:{message.message_id}" for message in delivered}
    assert Request.objects.filter(action="onWorkerMessage").count() == len(delivered)
    assert sum(Chain.objects.values_list("count", flat=True)) == len(delivered)
    assert not Request.objects.filter(Request.IS_UNFINISHED).exists()


def test_death__between_the_message_and_its_item(pair: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    pair.script("ann", to("ben", "Hello?"), "Asked.")
    keep = keeping.KeptCalls.keep

    def die_once(self: Any, *call: Any) -> None:
        monkeypatch.setattr(keeping.KeptCalls, "keep", keep)
        raise Died

    monkeypatch.setattr(keeping.KeptCalls, "keep", die_once)
    request = die(pair)
    assert len(pair.log()) == 1
    pair.script("ann", to("ben", "Hello?"), "Asked.")
    pair.run()
    request.refresh_from_db()
    assert request.status == "completed"
    assert pair.said() == [("ann", "ben", "Hello?")]
    assert pair.outputs("ann") == [{"sent": pair.log()[0].message_id, "hopsLeft": 5}]
    check_sound(pair)


@pytest.mark.parametrize("step", ["_take_hop", "land", "_delivery"])
def test_death__within_the_sending_leaves_nothing(
    step: str, pair: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair.script("ann", to("ben", "Hello?"), "Asked.")
    with monkeypatch.context() as patch:
        inner = getattr(sending, step)

        def die_after(*arguments: Any, **named: Any) -> Any:
            inner(*arguments, **named)
            raise Died

        patch.setattr(sending, step, die_after)
        die(pair)
    assert pair.log() == [] and not Chain.objects.exists()
    assert not Request.objects.filter(action="onWorkerMessage").exists()
    pair.script("ann", to("ben", "Hello?"), "Asked.")
    pair.run()
    assert pair.said() == [("ann", "ben", "Hello?")]
    check_sound(pair)


def test_death__after_the_last_place_tells_of_what_was_sent(pair: Office, settings: Any) -> None:
    """The limits are those of the whole turn, and a message that is there is no new one."""
    settings.WORKER_MESSAGES = {"hop_limit": 2, "per_turn": 2}
    pair.script("ann", to("ben", "One."), to("ben", "Two."), Died())
    die(pair)
    pair.script("ann", to("ben", "One."), to("ben", "Two."), to("ben", "Three."), "Told.")
    pair.run()
    assert pair.said() == [("ann", "ben", "One."), ("ann", "ben", "Two.")]
    first, second, third = pair.outputs("ann")
    assert [first["sent"], second["sent"]] == [message.message_id for message in pair.log()]
    assert third["error"].startswith("hop_limit: ")
    check_sound(pair)


def test_death__and_other_words_are_the_same_message(pair: Office) -> None:
    pair.script("ann", to("ben", "What is the codename?"), Died())
    die(pair)
    pair.script("ann", to("ben", "Which codename is it?"), "Asked.")
    pair.run()
    assert pair.said() == [("ann", "ben", "What is the codename?")]
    check_sound(pair)


@pytest.mark.parametrize("again", [True, False])
def test_death__after_a_refusal_that_may_not_come_again_is_the_same_message(
    again: bool, pair: Office
) -> None:
    mistake = to("ben", "Hello?", replyTo=f"msg_{'0' * 20}")
    pair.script("ann", mistake, to("ben", "Hello?"), Died())
    die(pair)
    pair.script("ann", *[mistake] * again, to("ben", "Hello?"), "Asked.")
    pair.run()
    assert pair.said() == [("ann", "ben", "Hello?")]
    assert pair.outputs("ann")[-1]["sent"] == pair.log()[0].message_id
    check_sound(pair)


def test_death__and_another_recipient_is_another_message(pair: Office) -> None:
    pair.hire("cid", "")
    pair.script("ann", to("ben", "Hello?"), Died())
    die(pair)
    pair.script("ann", to("cid", "Hello?"), to("ben", "Hello?"), "Asked.")
    pair.run()
    assert pair.said() == [("ann", "ben", "Hello?"), ("ann", "cid", "Hello?")]
    check_sound(pair)


def test_death__of_a_turn_that_had_answered_sends_no_second_answer(pair: Office) -> None:
    pair.script("ann", to("ben"), "Asked.", "Thanks.")
    pair.script("ben", to("ann", "Bluebird."), Died())
    pair.say("ann", run=False)
    with pytest.raises(Died):
        pair.run()
    lapse()
    pair.script("ben", "I have answered already.")
    pair.script("ann", "")
    pair.run()
    assert [message[2] for message in pair.said() if message[0] == "ben"] == ["Bluebird."]
    check_sound(pair)


def test_death__at_the_end_of_a_turn_sends_one_answer(pair: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    from workforce.workers import agent

    pair.script("ann", to("ben"), "Asked.", "Thanks.")
    pair.script("ben", "Bluebird.")
    finish = agent.finish_turn
    tries: list[int] = []

    def die_once(call: Any, outcome: Any) -> Any:
        if call.request.action == "onWorkerMessage" and not tries:
            tries.append(1)
            raise Died
        return finish(call, outcome)

    monkeypatch.setattr(agent, "finish_turn", die_once)
    pair.say("ann", run=False)
    with pytest.raises(Died):
        pair.run()
    assert len(pair.log()) == 1
    lapse()
    pair.run()
    assert [message[:2] for message in pair.said()] == [("ann", "ben"), ("ben", "ann")]
    check_sound(pair)


def test_refused_delivery__is_told_again_and_not_logged_twice(pair: Office, settings: Any) -> None:
    settings.DISPATCH = "disabled"
    pair.script("ann", to("ben"), Died())
    die(pair)
    settings.DISPATCH = "enabled"
    pair.script("ann", to("ben"), "They are away.")
    pair.run()
    assert [message.status for message in pair.log()] == ["refused"]
    assert pair.outputs("ann")[0]["error"].startswith("not_delivered: ")
    check_sound(pair)


def test_given_up__after_three_deaths_is_no_loss_for_the_next(pair: Office) -> None:
    pair.script("ben", Died())
    pair.send(pair.turn("ann"), "ben", "One.")
    for _ in range(3):
        with pytest.raises(Died):
            pair.run()
        lapse()
    pair.run()
    request = Request.objects.get(action="onWorkerMessage")
    assert (request.status, request.error["code"]) == ("failed", "abandoned")
    pair.script("ben", "")
    pair.send(pair.turn("ann"), "ben", "Two.")
    pair.run()
    assert pair.shown("ben") == ["ann| From ann: One.", "ann| From ann: Two."]
    assert Item.objects.filter(type="message", session=pair.own("ben")).count() == 2
