"""An external seat as a delegate of a coordinator: the post reaches its agent, and the reply is its answer, once."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from messaging.delegation.models import HandOff
from messaging.delegation.services.landing import close_late_rounds, give_up_lost
from messaging.external.models import OutsideItem
from messaging.external.services.watching import give_up_unreachable
from messaging.inbox.services.opening import leave_inbox
from tests.conftest import Mailbox
from tests.messaging.delegation.conftest import judge as judge
from tests.messaging.delegation.offices import Judge, ask, below, errors, handed, lines, routes, texts
from tests.messaging.external.conftest import SEAT, Desk, shown
from workforce import clock
from workforce.dispatch.run import try_run
from workforce.models import Request, Seat
from workforce.services.actors import freeze_actor

pytestmark = pytest.mark.django_db
MODES = ["judgment", "best-fit", "round-robin", "everyone"]


def hand(desk: Desk, judge: Judge, mode: str, post: str = "Where is it?", **settings: Any) -> dict[str, Any]:
    """A post that the coordinator of this mode handed to the agent; the item that tells of it."""
    desk.office.script("lead", [("handOff", {"worker": SEAT})], "Wait.")
    judge.picks(SEAT)
    desk.talk = desk.office.lead(mode, SEAT, **settings)
    desk.office.say(desk.talk, post)
    return desk.item()


@pytest.mark.parametrize("mode", MODES)
def test_post__reaches_the_inbox_and_the_reply_is_the_answer(mode: str, desk: Desk, judge: Judge) -> None:
    item = hand(desk, judge, mode)
    assert (item["type"], item["topic"], item["sender"]) == ("request", "coordinator", "workforce")
    payload = item["payload"]
    assert "Reply to this message" in payload.pop("how")
    assert payload == {
        "coordinator": "lead",
        "from": "ada",
        "postId": payload["postId"],
        "text": "Where is it?",
    }
    assert handed(routes(desk.talk)[0]) == [SEAT]
    assert (give_up_lost(), give_up_unreachable()) == (0, 0)
    desk.reply({"text": "In Paris."})
    assert lines(desk.talk)[-1] == ("worker", SEAT, "In Paris.")
    assert (HandOff.objects.get().status, errors(desk.talk), desk.refused()) == ("answered", [], [])
    assert shown(below(desk.talk, SEAT)) == [
        ("user", "ada, through lead: Where is it?"),
        ("assistant", "In Paris."),
    ]


def test_second_reply__lands_nothing_and_is_refused_to_the_actor(desk: Desk, judge: Judge) -> None:
    item = hand(desk, judge, "everyone")
    for text in ("In Paris.", "In Rome."):
        desk.agent.send(text, type="message", topic=..., replyingTo=item["id"])
    desk.office.work()
    desk.reply("In Oslo.", to=item)
    assert desk.refused() == ["nothing-to-answer"] * 2
    assert texts(desk.talk) == ["Where is it?", "In Paris."]


@pytest.mark.parametrize("payload", [None, {}, " ", {"error": "No."}])
def test_reply_without_text__is_refused_and_the_post_waits_on(payload: Any, desk: Desk, judge: Judge) -> None:
    item = hand(desk, judge, "everyone")
    desk.reply(payload, to=item)
    assert (desk.refused(), HandOff.objects.get().status) == (["no-answer-text"], "waiting")
    desk.reply("In Paris.", to=item)
    assert texts(desk.talk)[-1] == "In Paris."


def test_reply__longer_than_an_answer_is_refused(desk: Desk, judge: Judge) -> None:
    item = hand(desk, judge, "everyone")
    desk.reply("x" * 65_537, to=item)
    assert (desk.refused(), HandOff.objects.get().status) == (["invalid-input"], "waiting")


def test_every_run__may_be_repeated(desk: Desk, judge: Judge) -> None:
    desk.reply("In Paris.", to=hand(desk, judge, "everyone"))
    before = (texts(desk.talk), OutsideItem.objects.count(), len(desk.items()))
    for request in Request.objects.filter(session__seat__seat_id=SEAT):
        Request.objects.filter(pk=request.pk).update(status="pending", attempts=0)
        assert try_run(request.uid)
    desk.office.work()
    assert (texts(desk.talk), OutsideItem.objects.count(), len(desk.items())) == before


def test_round__shows_the_agent_what_the_others_answered(desk: Desk, judge: Judge) -> None:
    desk.office.hire("scout")
    desk.office.script("scout", "It is north.")
    desk.talk = desk.office.lead("everyone", SEAT, "scout", rounds=1)
    desk.office.say(desk.talk, "Where is it?")
    desk.reply("South.")
    item = desk.items()[-1]
    assert item["payload"]["round"] == 1
    assert item["payload"]["answered"] == [{"from": "scout", "text": "It is north."}]


def test_round__closes_without_the_agent_whose_late_answer_lands_and_goes_no_further(
    desk: Desk, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.office.hire("scout")
    desk.talk = desk.office.lead("everyone", SEAT, "scout", rounds=1)
    desk.office.say(desk.talk, "Where is it?")
    late = clock.now() + timedelta(hours=1)
    monkeypatch.setattr("workforce.clock.now", lambda: late)
    assert close_late_rounds() == 1
    desk.office.work()
    desk.reply("South.", to=desk.items()[0])
    assert [route["round"] for route in routes(desk.talk)] == [0, 1]
    assert lines(desk.talk)[-1] == ("worker", SEAT, "South.")


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("gone", ["frozen", "left", "retired"])
def test_agent__that_cannot_be_reached_has_failed(gone: str, held: bool, desk: Desk, judge: Judge) -> None:
    if held:
        hand(desk, judge, "everyone")
    if gone == "frozen":
        freeze_actor(organization=desk.office.owner.organization, passname="wren")
    elif gone == "left":
        leave_inbox(inbox=desk.agent.inbox, passname="wren")
    elif held:
        Seat.objects.filter(seat_id=SEAT).update(retired_at=clock.now())
    else:
        Seat.objects.filter(seat_id=SEAT).update(settings={"passname": "ghost", "inbox": "release"})
    if held:
        assert (give_up_unreachable(), give_up_unreachable()) == (1, 0)
        desk.office.work()
        assert give_up_unreachable() == 0
    else:
        desk.talk = desk.office.lead("everyone", SEAT)
        desk.office.say(desk.talk)
        assert Request.objects.get(action="onDelegatedPost").status == "failed"
    assert (errors(desk.talk), HandOff.objects.get().status) == (["delegate-failed"], "failed")
    code = "worker-retired" if (gone, held) == ("retired", True) else "outside-unreachable"
    assert HandOff.objects.get().text.startswith(f"{code}: ")


def test_agent__frozen_and_let_go_on_before_the_sweep_still_answers(desk: Desk, judge: Judge) -> None:
    from workforce.services.actors import unfreeze_actor

    item = hand(desk, judge, "everyone")
    freeze_actor(organization=desk.office.owner.organization, passname="wren")
    unfreeze_actor(organization=desk.office.owner.organization, passname="wren")
    assert give_up_unreachable() == 0
    desk.reply("In Paris.", to=item)
    assert texts(desk.talk)[-1] == "In Paris."


def test_answer__to_a_post_that_the_mailbox_routed_is_the_coordinators_there(
    desk: Desk, judge: Judge, mailbox: Mailbox
) -> None:
    box = mailbox("support.help", members=["lead"])
    lead = desk.office.lead("everyone", SEAT).seat
    assert lead is not None
    line = desk.office.owner.api.line("support.help", "Help!")
    desk.office.work()
    talk = desk.office.conversation(lead, "below", parent=box, topic="other")
    post = {"mailboxId": "support.help", "member": "lead", "postId": line["id"], "principal": "ada"}
    ask(talk, "onMailboxPost", {**post, "body": "Help!", "routed": True}, source="dispatch")
    desk.office.work()
    desk.reply("In Paris.", to=desk.items()[-1])
    said = [(one.get("author", ""), one["body"]) for one in desk.office.owner.api.transcript("support.help")]
    assert said == [("", "Help!"), ("lead", "In Paris.")]


def test_post__that_the_mailbox_routed_and_whose_agent_is_gone_has_failed(
    desk: Desk, mailbox: Mailbox
) -> None:
    box = mailbox("support.help", members=["lead"])
    lead = desk.office.lead("everyone", SEAT).seat
    assert lead is not None
    talk = desk.office.conversation(lead, "below", parent=box, topic="other")
    post = {
        "mailboxId": "support.help",
        "member": "lead",
        "postId": "p1",
        "principal": "ada",
        "body": "Help!",
    }
    ask(talk, "onMailboxPost", {**post, "routed": True}, source="dispatch")
    desk.office.work()
    assert len(desk.items()) == 1
    leave_inbox(inbox=desk.agent.inbox, passname="wren")
    assert give_up_unreachable() == 1
    desk.office.work()
    (failed,) = Request.objects.filter(status="failed")
    assert (failed.action, (failed.error or {})["code"]) == ("onDelegateAnswer", "nobody-took-it")
    assert not Request.objects.filter(action="answer").exists()
