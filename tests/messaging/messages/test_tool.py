"""The tool as a turn is offered it: its description, made anew each turn, and that it is always there."""

from __future__ import annotations

from typing import Any

import pytest

from messaging.tools.messages import offer_messages
from tests.conftest import Player
from tests.messaging.messages.office import Office
from tests.workforce.dispatch.queues import make_request
from workforce import clock
from workforce.models import Request, Seat
from workforce.toolsets import tools_for


@pytest.fixture
def pair(office: Office) -> Office:
    office.hire("researcher")
    office.hire("chief")
    return office


def description(office: Office, worker_id: str = "researcher") -> str:
    [tool] = [tool for tool in tools_for(office.turn(worker_id)) if tool.name == "messageWorker"]
    return tool.description


def test_description__lists_who_can_be_messaged_now(pair: Office, stranger: Player) -> None:
    for kind in ("hands", "spread", "gardener"):
        pair.hire(f"the.{kind}", kind=kind)
    pair.hire("broken", settings={"mood": "good"})
    pair.hire("fired", retired_at=clock.now())
    pair.hire("bobs", owner=stranger.user)
    pair.hire("mine", owner=pair.user, description="Two\n- lines: and more")
    listed = description(pair).split("Workers that can be messaged now:\n")[1]
    assert listed == "- chief: Is chief.\n- mine: Two - lines: and more"


@pytest.mark.parametrize("own_first", [True, False])
def test_description__and_message_are_of_the_users_own_where_two_have_one_id(
    own_first: bool, pair: Office
) -> None:
    for owner in (pair.user, None) if own_first else (None, pair.user):
        pair.hire("twin", owner=owner, description="Is mine." if owner else "Is everybody's.")
    assert "- twin: Is mine." in description(pair) and "everybody" not in description(pair)
    pair.send(pair.turn("researcher"), "twin")
    [message] = pair.log()
    assert message.to_session is not None and message.to_session.seat is not None
    assert message.to_session.seat.owner == pair.user


def test_description__is_made_anew_each_turn(pair: Office) -> None:
    pair.script("researcher", "One.")
    pair.say("researcher")
    pair.hire("late", owner=pair.user)
    Seat.objects.filter(seat_id="chief").update(description="Knows names.")
    pair.say("researcher")
    before, after = (
        next(tool.description for tool in info.function_tools if tool.name == "messageWorker") or ""
        for _, info in pair.asked["researcher"]
    )
    assert "late" not in before and "- late: Is late." in after
    assert "- chief: Is chief." in before and "- chief: Knows names." in after


def test_description__says_when_there_is_nobody(office: Office) -> None:
    office.hire("alone")
    assert description(office, "alone").endswith("Nobody can be messaged now.")


def test_description__of_a_long_roster_is_bounded(pair: Office) -> None:
    for number in range(110):
        pair.hire(f"w{number:03}", description="y" * 4000)
    shown = description(pair)
    assert shown.count("\n- ") == 100 and shown.endswith("… and 11 more") and len(shown) < 40_000


def test_description__costs_one_query(pair: Office, django_assert_num_queries: Any) -> None:
    turn = pair.turn("researcher")
    [offer] = [tool for tool in tools_for(turn) if tool.name == "messageWorker"]
    with django_assert_num_queries(1):
        assert [tool.description for tool in offer_messages(turn)] == [offer.description]


@pytest.mark.parametrize("action", ["run", "onMailboxPost", "onWorkerMessage"])
def test_tool__is_there_in_every_turn(action: str, pair: Office) -> None:
    inputs = {
        "run": {"message": "Go on."},
        "onMailboxPost": {
            "mailboxId": "m", "member": "researcher", "postId": "p", "principal": "ada", "body": "Hm?"
        },
        "onWorkerMessage": {"messageId": f"msg_{'0' * 20}", "from": "chief", "text": "Hm?"},
    }  # fmt: skip
    make_request(pair.own("researcher"), action, input=inputs[action])
    pair.run()
    assert "messageWorker" in [tool.name for tool in pair.asked["researcher"][0][1].function_tools]


def test_offline_model__reads_a_message(pair: Office) -> None:
    Seat.objects.filter(seat_id="chief").update(
        settings={"model": "offline:extract"},
        instructions="The codename of the spring launch is Bluebird.",
    )
    pair.send(pair.turn("researcher"), "chief", "What is the codename of the spring launch?")
    pair.run()
    assert "Bluebird" in pair.log()[1].text


def test_model__that_is_not_there_fails_the_turn_alone(pair: Office) -> None:
    Seat.objects.filter(seat_id="chief").update(settings={"model": "made:up"})
    assert "sent" in pair.send(pair.turn("researcher"), "chief")
    pair.run()
    assert Request.objects.get(action="onWorkerMessage").status == "failed"
    assert len(pair.log()) == 1
