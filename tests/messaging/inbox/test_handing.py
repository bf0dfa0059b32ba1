"""Handing over what somebody who is gone still owes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from messaging.inbox.errors import NotJoined, StillTakesPart
from messaging.inbox.hands import Hand
from messaging.inbox.models import Inbox, InboxEvent, Receipt
from messaging.inbox.selectors.queue import Item, Wanted, read_queue
from messaging.inbox.services import pulling
from messaging.inbox.services.handing import HandedOver, hand_over
from messaging.inbox.services.opening import leave_inbox
from tests.messaging.inbox.conftest import Mate, check_counters, done
from workforce.actorerrors import UnknownPassname
from workforce.services.actors import retire_actor

Unchanged = Callable[..., AbstractContextManager[None]]


@pytest.mark.parametrize("end", ["retire", "leave"])
def test_hand_over__lets_another_owe_it(
    inbox: Inbox, planner: Mate, coder: Mate, reviewer: Mate, end: str
) -> None:
    first, second = planner.send(to=["coder"]), planner.send(to=["coder"])
    both, own = planner.send(to=["coder", "reviewer"]), reviewer.send(to=["coder"])
    closed = planner.send(to=["coder"])
    done(coder.do(closed["id"], "complete"))
    coder.pull(limit=1)
    if end == "retire":
        retire_actor(organization=inbox.organization, passname="coder")
    else:
        leave_inbox(inbox=inbox, passname="coder")
    inbox.refresh_from_db()
    assert hand_over(inbox=inbox, owed_by="coder", to="Reviewer", operator="olga") == HandedOver(2, 2)
    assert hand_over(inbox=inbox, owed_by="coder", to="reviewer") == HandedOver(0, 2)
    assert [item["id"] for item in reviewer.pull()["items"]] == [first["id"], second["id"], both["id"]]
    assert Receipt.objects.filter(handed_from=coder.actor).count() == 2
    assert Receipt.objects.filter(Receipt.IS_OPEN, message_id=own["id"]).get().recipient == coder.actor
    events = list(
        InboxEvent.objects.filter(kind="handed-over").values_list("passname", "from_state", "operator")
    )
    assert events == [("reviewer", "delivered", "olga"), ("reviewer", "pending", "olga")]
    check_counters(inbox)


def test_hand_over__refused(inbox: Inbox, planner: Mate, coder: Mate, unmoved: Unchanged) -> None:
    planner.send()
    with unmoved():
        with pytest.raises(StillTakesPart):
            hand_over(inbox=inbox, owed_by="coder", to="reviewer")
        with pytest.raises(UnknownPassname):
            hand_over(inbox=inbox, owed_by="coder", to="nobody")
    leave_inbox(inbox=inbox, passname="coder")
    leave_inbox(inbox=inbox, passname="reviewer")
    with unmoved(), pytest.raises(NotJoined):
        hand_over(inbox=inbox, owed_by="coder", to="reviewer")


def test_hand_over__between_the_look_and_the_delivery_of_a_pull(
    inbox: Inbox, planner: Mate, coder: Mate, reviewer: Mate, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, owed = planner.send(to=["coder"]), planner.send(to=["coder", "reviewer"])

    def look_and_lose(hand: Hand, wanted: Wanted) -> tuple[list[Item], bool]:
        found = read_queue(hand, wanted)
        leave_inbox(inbox=inbox, passname="coder")
        assert hand_over(inbox=inbox, owed_by="coder", to="reviewer") == HandedOver(1, 1)
        return found

    monkeypatch.setattr(pulling, "read_queue", look_and_lose)
    assert [item["id"] for item in coder.pull()["items"]] == [owed["id"]]
    check_counters(inbox)
    receipt = Receipt.objects.get(message_id=asked["id"])
    assert (receipt.recipient, receipt.state) == (reviewer.actor, "pending")
