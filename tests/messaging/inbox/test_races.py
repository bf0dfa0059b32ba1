"""Many callers at one moment: what comes of it is decided by the database."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

import pytest

from messaging.inbox.errors import AlreadyClosed
from messaging.inbox.hands import Hand
from messaging.inbox.models import CredentialIncident, Inbox, InboxEvent, Participation, Receipt
from messaging.inbox.receipts import Act
from messaging.inbox.selectors.queue import Wanted
from messaging.inbox.services.incidents import Counter
from messaging.inbox.services.moving import move_receipt, move_receipts
from messaging.inbox.services.opening import create_inbox, join_inbox
from messaging.inbox.services.pulling import pull_queue
from messaging.inbox.services.sending import Letter, Sent, send_message
from messaging.inbox.services.system import system_actor
from tests.factories import make_actor, make_organization
from tests.messaging.inbox.conftest import Mate, check_counters
from tests.racing import ON_POSTGRESQL, at_once
from workforce.services.noticing import KeyRefusal

pytestmark = ON_POSTGRESQL
ROUNDS = 8


@pytest.fixture
def inbox(db: None) -> Inbox:
    return create_inbox(organization=make_organization("acme"), slug="release")


def hand_of(mate: Mate) -> Hand:
    place = Participation.objects.select_related("inbox", "actor").get(actor=mate.actor)
    return Hand(inbox=place.inbox, actor=place.actor, participation=place)


def send(mate: Mate, payload: Any = "Do it.", **fields: Any) -> Sent:
    letter = Letter(**{"type": "info", "topic": "plan", "payload": payload, **fields})
    return send_message(hand=hand_of(mate), letter=letter)


def pull(mate: Mate, limit: int = 100, *, ascending: bool = True) -> list[dict[str, Any]]:
    return pull_queue(hand=hand_of(mate), wanted=Wanted(limit=limit, ascending=ascending)).items


def move(mate: Mate, message: UUID, act: Act = Act.COMPLETE) -> Receipt:
    return move_receipt(hand=hand_of(mate), message_id=message, act=act)


def test_equal_sends__are_one(inbox: Inbox, planner: Mate) -> None:
    for number in range(ROUNDS):
        sent = at_once(*[partial(send, planner, {"n": number})] * 8)
        assert len({each.message.pk for each in sent}) == 1, sent
        assert [each.duplicate for each in sent].count(False) == 1
    check_counters(inbox)
    assert (inbox.message_seq, inbox.duplicates) == (ROUNDS, ROUNDS * 7)


def test_equal_sends__under_one_key_are_one_over_http(inbox: Inbox, planner: Mate) -> None:
    for number in range(ROUNDS):
        call = partial(
            planner.try_send, number, allowDuplicate=True, headers={"Idempotency_Key": f"k{number}"}
        )
        answers = at_once(*[call] * 6)
        assert sorted(answer.status_code for answer in answers) == [200] * 5 + [201]
        assert len({answer.json()["id"] for answer in answers}) == 1
    check_counters(inbox)


def test_different_sends__have_numbers_without_gaps(
    inbox: Inbox, planner: Mate, coder: Mate, boss: Mate
) -> None:
    for number in range(ROUNDS):
        sent = at_once(
            *[partial(send, mate, [number, n]) for n in range(3) for mate in (planner, coder, boss)]
        )
        assert len({each.message.seq for each in sent}) == 9, sent
    check_counters(inbox)


def test_equal_moves__are_one_transition_with_one_time(inbox: Inbox, planner: Mate, coder: Mate) -> None:
    for number in range(ROUNDS):
        message = send(planner, number).message.pk
        moved = at_once(*[partial(move, coder, message)] * 8)
        assert len({(receipt.closed_at, receipt.delivered_at) for receipt in moved}) == 1, moved
    assert InboxEvent.objects.filter(kind="completed").count() == ROUNDS
    check_counters(inbox)


def test_other_moves__one_wins_and_is_named(inbox: Inbox, planner: Mate, coder: Mate) -> None:
    for number in range(ROUNDS):
        message = send(planner, number).message.pk
        moved = at_once(*[partial(move, coder, message, act) for act in Act] * 2)
        won = [receipt for receipt in moved if isinstance(receipt, Receipt)]
        assert len({receipt.state for receipt in won}) == 1
        assert len(won) == 2
        refused = [each for each in moved if not isinstance(each, Receipt)]
        assert all(isinstance(each, AlreadyClosed) and won[0].state in each.words for each in refused), (
            refused
        )
    check_counters(inbox)


def test_pulls_moves_and_sends__keep_the_counts(inbox: Inbox, team: dict[str, Mate]) -> None:
    planner, coder, reviewer, boss = team.values()
    for number in range(ROUNDS):
        ids = [send(planner, [number, n]).message.pk for n in range(6)]
        outcomes = at_once(
            partial(pull, coder),
            partial(pull, coder, 3, ascending=False),
            partial(move_receipts, hand=hand_of(coder), message_ids=ids, act=Act.COMPLETE),
            partial(move_receipts, hand=hand_of(reviewer), message_ids=ids[::-1], act=Act.ARCHIVE),
            partial(move_receipts, hand=hand_of(boss), message_ids=ids[3:] + ids[:3], act=Act.ACKNOWLEDGE),
            partial(move, reviewer, ids[2], Act.ARCHIVE),
            partial(send, planner, [number, "more"]),
            partial(send, coder, [number, "and more"]),
        )
        assert not [each for each in outcomes if isinstance(each, Exception)], outcomes
        check_counters(inbox)
    assert (
        not Receipt.objects.filter(recipient=coder.actor, message_id__in=ids)
        .exclude(state="completed")
        .exists()
    )


def test_pulls__deliver_once(inbox: Inbox, planner: Mate, coder: Mate) -> None:
    for number in range(ROUNDS):
        send(planner, number)
        pages = at_once(*[partial(pull, coder, 1, ascending=False)] * 6)
        assert len({item["deliveredAt"] for page in pages for item in page}) == 1, pages
    assert InboxEvent.objects.filter(kind="delivered").count() == ROUNDS
    check_counters(inbox)


def test_join__against_a_send(inbox: Inbox, planner: Mate) -> None:
    """Who joins has a receipt of the message, or had not joined when it was sent: never a count without one."""
    for number in range(ROUNDS):
        actor, _ = make_actor(organization=inbox.organization, passname=f"late-{number}")
        at_once(
            partial(join_inbox, inbox=inbox, passname=actor.passname),
            *[partial(send, planner, [number, n]) for n in "ab"],
        )
        check_counters(inbox)


def test_system_actor__is_made_once(inbox: Inbox) -> None:
    made = at_once(*[partial(system_actor, inbox.organization)] * 6)
    assert len({actor.pk for actor in made}) == 1, made


def test_incidents__of_many_processes_are_one_row(db: None) -> None:
    refusal = KeyRefusal(reason="frozen", path="", prefix="0" * 12)
    at_once(*[partial(Counter().add, refusal) for _ in range(8)])
    assert sum(CredentialIncident.objects.values_list("count", flat=True)) == 8
