"""A post of a mailbox becomes an item; the reply to it is the seat's line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.test import override_settings

from messaging.external.models import OutsideReply
from messaging.external.services.refusing import settle_lost
from messaging.inbox.models import Message
from messaging.inbox.services.opening import leave_inbox
from tests.messaging.external.conftest import SEAT, Outside, shown
from tests.messaging.inbox.conftest import Mate, admit, check_counters
from workforce.dispatch.run import try_run
from workforce.models import Request, Seat, Session
from workforce.selectors.shifts import Shift, seats_standing, standings_of
from workforce.services.recovery import retry_request

pytestmark = pytest.mark.django_db


def test_post__becomes_one_item_of_the_reserved_sender(outside: Outside) -> None:
    post = outside.post("Where is my order?", author=SEAT)
    item = outside.item()
    assert (item["type"], item["topic"], item["sender"]) == ("message", "mailbox", "workforce")
    payload = item["payload"]
    assert {key: payload[key] for key in ("mailbox", "postId", "from", "principal", "text")} == {
        "mailbox": "support.help",
        "postId": post["id"],
        "from": SEAT,
        "principal": "ada",
        "text": "Where is my order?",
    }
    assert "Reply to this message" in payload["how"]


@pytest.mark.parametrize("payload", ["On its way.", {"text": "On its way.", "confidence": 1}])
def test_reply__is_the_seats_line_with_the_key_as_proof(outside: Outside, payload: object) -> None:
    outside.post()
    outside.reply(outside.item(), payload)
    last = outside.lines()[-1]
    assert (last["author"], last["body"], last["seatAuthored"]) == (SEAT, "On its way.", True)
    assert last["passname"] == "wren"
    assert outside.refusals() == [] and OutsideReply.objects.get().settled_at is not None


def test_seats_line__wakes_nobody_and_tells_the_agent_nothing_more(outside: Outside) -> None:
    outside.post()
    item = outside.item()
    outside.reply(item)
    assert [one["id"] for one in outside.items()] == [item["id"]]


def test_conversation__shows_what_was_said_and_answered(outside: Outside) -> None:
    outside.post()
    outside.reply(outside.item())
    place = Session.objects.get(seat=outside.seat)
    assert shown(place) == [
        ("user", "ada in support.help: Where is my order?"),
        ("assistant", "On its way."),
    ]


def test_routed_post__is_a_request_and_takes_one_answer(outside: Outside) -> None:
    post = outside.owner.api.line("support.help", "Refund?")
    outside.route(post)
    item = next(one for one in outside.items() if one["type"] == "request")
    assert (item["topic"], item["payload"]["recent"]) == ("mailbox", [{"from": "ada", "text": "Hello."}])
    outside.reply(item, "Yes.")
    second = outside.reply(item, "No.")
    assert outside.said() == [("", "Refund?"), (SEAT, "Yes.")]
    (told,) = outside.refusals()
    assert told["payload"]["refused"] == "already-answered" and told["replyingTo"] == second["id"]
    assert told["payload"]["about"] == {"item": item["id"], "kind": "routed", "id": post["id"], "seat": SEAT}


@pytest.mark.parametrize("payload", [None, 7, [], {}, {"text": 1}, {"body": "x"}, "", " \n", {"text": " "}])
def test_reply_without_text__is_refused_to_the_actor(outside: Outside, payload: object) -> None:
    outside.post()
    sent = outside.reply(outside.item(), payload)
    (told,) = outside.refusals()
    assert told["payload"]["refused"] == "no-answer-text"
    assert (told["replyingTo"], told["topic"]) == (sent["id"], "mailbox")
    assert len(outside.lines()) == 1


def test_reply__too_long_for_a_post_is_refused_to_the_actor(outside: Outside) -> None:
    outside.post()
    outside.reply(outside.item(), "x" * 65_537)
    assert [one["payload"]["refused"] for one in outside.refusals()] == ["invalid-input"]


def test_reply__of_a_seat_that_is_no_member_is_refused_to_the_actor(outside: Outside) -> None:
    outside.post()
    item = outside.item()
    Session.objects.filter(pk=outside.mailbox.pk).update(state={"members": [], "charter": ""})
    outside.reply(item)
    assert [one["payload"]["refused"] for one in outside.refusals()] == ["author-not-a-member"]


def test_reply__of_a_retired_seat_is_refused_to_the_actor(outside: Outside) -> None:
    outside.post()
    item = outside.item()
    type(outside.seat).objects.update(retired_at=outside.mailbox.created_at)
    outside.reply(item)
    assert [one["payload"]["refused"] for one in outside.refusals()] == ["worker-retired"]


def test_reply__where_nothing_is_dispatched_is_refused_to_the_actor(outside: Outside) -> None:
    outside.post()
    item = outside.item()
    with override_settings(DISPATCH="disabled"):
        outside.reply(item)
    assert [one["payload"]["refused"] for one in outside.refusals()] == ["external-dispatcher"]
    assert len(outside.lines()) == 1


def test_reply__by_somebody_else_of_the_inbox_is_no_answer(outside: Outside) -> None:
    outside.post()
    item = outside.item()
    other: Mate = admit(outside.agent.inbox, "lark", user=outside.owner.user)
    other.send("I know!", type="message", topic=..., replyingTo=item["id"], to=["wren"])
    outside.run()
    assert len(outside.lines()) == 1 and outside.rows() == (1, 0)


def test_reply__to_the_refusal_is_an_ordinary_message(outside: Outside) -> None:
    outside.post()
    outside.reply(outside.item(), 7)
    (told,) = outside.refusals()
    outside.reply(told, "Oh.")
    assert len(outside.lines()) == 1 and len(outside.refusals()) == 1


def test_completing__settles_the_receipt_alone(outside: Outside) -> None:
    outside.post()
    item = outside.item()
    assert outside.agent.do(item["id"], "complete").status_code == 200
    assert outside.run() == 0 and len(outside.lines()) == 1


def test_folded_reply__lands_once(outside: Outside) -> None:
    outside.post()
    item = outside.item()
    for _ in range(2):
        outside.agent.try_send("On its way.", type="message", topic=..., replyingTo=item["id"])
        outside.run()
    assert outside.said() == [("", "Where is my order?"), (SEAT, "On its way.")]


def test_every_run__may_be_repeated(outside: Outside) -> None:
    outside.post()
    item = outside.item()
    outside.reply(item)
    before = outside.rows(), outside.said(), Message.objects.count()
    for request in Request.objects.filter(session__seat=outside.seat):
        Request.objects.filter(pk=request.pk).update(status="pending", attempts=0)
        assert try_run(request.uid)
    outside.run()
    assert (outside.rows(), outside.said(), Message.objects.count()) == before
    check_counters(outside.agent.inbox)


@pytest.mark.parametrize("gone", ["actor", "participation", "inbox"])
def test_unreachable_agent__fails_the_delivery_and_is_told_by_a_retry(outside: Outside, gone: str) -> None:
    settings = outside.seat.settings
    if gone == "participation":
        leave_inbox(inbox=outside.agent.inbox, passname="wren")
    else:
        wrong = {"passname": "ghost"} if gone == "actor" else {"inbox": "nowhere"}
        type(outside.seat).objects.update(settings={**settings, **wrong})
    outside.post()
    (failed,) = Request.objects.filter(action="onMailboxPost", status="failed")
    assert failed.error is not None and failed.error["code"] == "outside-unreachable"
    assert "manage.py actor add" in failed.error["message"] and len(outside.lines()) == 1
    if gone == "participation":
        return
    type(outside.seat).objects.update(settings=settings)
    retry_request(caller=replace(outside.owner.caller, source=Request.Source.ADMIN), uid=failed.uid)
    outside.run()
    assert outside.item()["payload"]["text"] == "Where is my order?"


def test_mailbox_run_that_broke__is_told_by_the_sweep(outside: Outside) -> None:
    outside.post()
    sent = outside.agent.send("x", type="message", topic=..., replyingTo=outside.item()["id"])
    carry = Request.objects.get(action="onInboxReply")
    assert try_run(carry.uid)
    assert settle_lost() == 0
    landing = Request.objects.get(dispatch_key=f"outside:{sent['id']}")
    Request.objects.filter(pk=landing.pk).update(
        status="failed", error={"code": "abandoned", "message": "Died."}
    )
    assert settle_lost() == 1 and settle_lost() == 0
    (told,) = outside.refusals()
    assert (told["payload"]["refused"], told["payload"]["text"]) == ("abandoned", "Died.")


def test_large_post__fits_the_payload_limit(outside: Outside) -> None:
    with override_settings(INBOX_MAX_PAYLOAD=2000):
        outside.post("é" * 3000)
    payload = outside.item()["payload"]
    assert payload["leftOut"] == ["the end of text"] and 300 < len(payload["text"]) < 1000


def test_post_that_looks_like_a_secret__is_told(outside: Outside) -> None:
    outside.post("-----BEGIN RSA PRIVATE KEY-----")
    assert "PRIVATE KEY" in outside.item()["payload"]["text"]


def test_shift__is_on_call_while_the_agent_owes_an_answer(outside: Outside) -> None:
    def shift() -> Shift:
        found = standings_of([outside.seat])[outside.seat.pk].shift
        assert outside.seat in seats_standing(Seat.objects.all(), found)
        return found

    assert shift() == Shift.OFF_SHIFT
    outside.post()
    assert shift() == Shift.ON_CALL
    item = outside.item()
    outside.reply(item)
    assert shift() == Shift.ON_CALL  # until the agent closes it
    outside.agent.do(item["id"], "complete")
    assert shift() == Shift.OFF_SHIFT
