"""What a recipient does with what it was sent, one by one and many at once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from uuid import uuid4

import pytest

from messaging.inbox.models import InboxEvent, Receipt
from tests.clients import problem
from tests.messaging.inbox.conftest import Mate, admit, check_counters, done

Unchanged = Callable[..., AbstractContextManager[None]]
STATES = {"acknowledge": "acknowledged", "complete": "completed", "archive": "archived"}


@pytest.mark.parametrize("act", list(STATES))
@pytest.mark.parametrize("pulled", [False, True])
def test_move__closes_and_answers_the_receipt(planner: Mate, coder: Mate, act: str, pulled: bool) -> None:
    message = planner.send(type="info")
    if pulled:
        coder.pull()
    receipt = done(coder.do(message["id"], act, {"note": "As asked."}))
    assert list(receipt) == ["id", "passname", "state", "deliveredAt", f"{STATES[act]}At", "note"]
    assert (receipt["id"], receipt["passname"], receipt["state"]) == (message["id"], "coder", STATES[act])
    assert receipt["deliveredAt"] <= receipt[f"{STATES[act]}At"]
    assert coder.queue()["items"] == []
    assert coder.queue()["counts"] == {"open": 0, "pending": 0, "delivered": 0}
    event = InboxEvent.objects.get(kind=STATES[act])
    before = "delivered" if pulled else "pending"
    assert (event.passname, event.from_state, event.to_state) == ("coder", before, STATES[act])
    check_counters(planner.inbox)


def test_move__again_answers_the_same_and_writes_nothing(
    planner: Mate, coder: Mate, nothing_written: Unchanged, unmoved: Unchanged
) -> None:
    message = planner.send()
    first = done(coder.do(message["id"], "complete", {"note": "one"}))
    with nothing_written(), unmoved():
        assert done(coder.do(message["id"], "complete", {"note": "two"})) == first
        for act in ("acknowledge", "archive"):
            body = problem(coder.do(message["id"], act), 409, "already-closed", "completed")
            assert body["state"] == "completed"


def test_move__a_request_is_not_acknowledged(planner: Mate, coder: Mate, unmoved: Unchanged) -> None:
    message = planner.send()
    with unmoved():
        problem(coder.do(message["id"], "acknowledge"), 409, "not-acknowledgeable", "completed or archived")


def test_move__an_approval_needs_a_person(planner: Mate, coder: Mate, boss: Mate, unmoved: Unchanged) -> None:
    message = planner.send(approval=True)
    assert message["approval"] is True
    assert coder.queue()["items"][0]["approval"] is True
    with unmoved():
        problem(coder.do(message["id"], "complete"), 403, "needs-a-person", "person")
    assert done(coder.do(message["id"], "archive"))["state"] == "archived"
    assert done(boss.do(message["id"], "complete"))["state"] == "completed"


def test_move__names_the_reply(planner: Mate, coder: Mate, elsewhere: Mate, unmoved: Unchanged) -> None:
    message = planner.send()
    reply = coder.send(type="message", replyingTo=message["id"])
    friend = admit(elsewhere.inbox, "friend", user=elsewhere.actor.user)
    foreign = friend.send()
    with unmoved():
        for wrong in (foreign["id"], str(uuid4()), "x"):
            problem(coder.do(message["id"], "complete", {"replyId": wrong}), 404, "not-found")
    assert done(coder.do(message["id"], "complete", {"replyId": reply["id"]}))["replyId"] == reply["id"]


def test_move__touches_nobody_elses(planner: Mate, coder: Mate, reviewer: Mate) -> None:
    message = planner.send()
    done(coder.do(message["id"], "complete"))
    assert reviewer.queue()["items"][0]["state"] == "pending"
    states = {
        entry["passname"]: entry["state"]
        for entry in done(planner.get(f"messages/{message['id']}/receipts"))["items"]
    }
    assert states == {"boss": "pending", "coder": "completed", "reviewer": "pending"}


def test_move__what_was_not_sent_to_one_is_not_there(planner: Mate, coder: Mate, unmoved: Unchanged) -> None:
    message = planner.send(to=["reviewer"])
    invented = problem(coder.do(str(uuid4()), "complete"), 404, "not-found")
    with unmoved():
        for mate in (coder, planner):
            for act in STATES:
                assert problem(mate.do(message["id"], act), 404, "not-found") == invented


@pytest.mark.parametrize(
    "body",
    [
        {"note": 5},
        {"note": "x" * 4001},
        {"note": "\x00"},
        {"state": "completed"},
        {"replyId": 5},
        {"note": None},
    ],
)
def test_move__out_of_shape(planner: Mate, coder: Mate, unmoved: Unchanged, body: dict[str, Any]) -> None:
    message = planner.send()
    with unmoved():
        problem(coder.do(message["id"], "complete", body), 400, "invalid-input")


def test_move__under_a_key_is_one_call(planner: Mate, coder: Mate) -> None:
    message = planner.send()
    first = done(coder.do(message["id"], "complete", Idempotency_Key="k"))
    assert done(coder.do(message["id"], "complete", Idempotency_Key="k")) == first
    assert InboxEvent.objects.filter(kind="completed").count() == 1


def test_bulk__answers_each_for_itself(planner: Mate, coder: Mate) -> None:
    info, request, closed = planner.send(type="info"), planner.send(), planner.send(type="info")
    foreign = planner.send(to=["boss"])
    coder.pull(limit=1)
    done(coder.do(closed["id"], "archive"))
    ids = [request["id"], info["id"], "x", foreign["id"], closed["id"], info["id"]]
    items = done(coder.post("receipts/", {"action": "acknowledge", "ids": ids}))["items"]
    assert [item["id"] for item in items] == ids
    assert [item.get("state") or item["error"]["code"] for item in items] == [
        "not-acknowledgeable", "acknowledged", "not-found", "not-found", "already-closed", "acknowledged",
    ]  # fmt: skip
    assert items[1] == items[5]
    check_counters(planner.inbox)


def test_bulk__two_hundred_in_few_queries(
    planner: Mate, coder: Mate, django_assert_max_num_queries: Any
) -> None:
    ids = [planner.send(n, type="info", to=["coder"])["id"] for n in range(200)]
    with django_assert_max_num_queries(12):
        items = done(coder.post("receipts/", {"action": "complete", "ids": ids}))["items"]
    assert {item["state"] for item in items} == {"completed"}
    assert InboxEvent.objects.filter(kind="completed").count() == 200
    check_counters(planner.inbox)


@pytest.mark.parametrize(
    "body",
    [
        {"action": "complete", "ids": []},
        {"action": "complete", "ids": ["x"] * 201},
        {"action": "close", "ids": ["x"]},
        {"action": "complete"},
        {"ids": ["x"]},
        {"action": "complete", "ids": "x"},
        {"action": "complete", "ids": [1]},
    ],
)
def test_bulk__out_of_shape(coder: Mate, body: dict[str, Any]) -> None:
    problem(coder.post("receipts/", body), 400, "invalid-input")


def test_close__tells_recipients_who_keep_their_state(
    planner: Mate, coder: Mate, nothing_written: Unchanged
) -> None:
    message = planner.send()
    closed = done(planner.do(message["id"], "close"))
    assert closed["closedAt"] >= closed["createdAt"]
    with nothing_written():
        assert done(planner.do(message["id"], "close")) == closed
    (item,) = coder.queue()["items"]
    assert (item["closedBySender"], item["state"]) == (True, "pending")
    assert done(planner.get("sent/?open=true"))["items"] == []
    assert done(coder.do(message["id"], "complete"))["state"] == "completed"
    assert Receipt.objects.filter(state="pending").count() == 2


def test_close__is_the_senders_alone(planner: Mate, coder: Mate, unmoved: Unchanged) -> None:
    message = planner.send()
    with unmoved():
        problem(coder.do(message["id"], "close"), 403, "not-your-message", "planner")
        problem(coder.do(str(uuid4()), "close"), 404, "not-found")
