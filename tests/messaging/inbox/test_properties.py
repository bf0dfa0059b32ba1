"""Any sequence of calls by four actors keeps the inbox sound."""

from __future__ import annotations

from contextlib import suppress
from typing import Any
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from messaging.inbox.hands import Hand
from messaging.inbox.models import InboxEvent, Message, Receipt
from messaging.inbox.receipts import CLOSED, Act, State, Type, Verdict, judge
from messaging.inbox.selectors.queue import Wanted
from messaging.inbox.services.closing import close_message
from messaging.inbox.services.moving import move_receipt, move_receipts
from messaging.inbox.services.opening import create_inbox, join_inbox, leave_inbox
from messaging.inbox.services.pulling import look_at_queue, pull_queue
from messaging.inbox.services.sending import Letter, send_message
from tests.factories import make_organization
from tests.messaging.inbox.conftest import NAMES, check_counters, make_team
from workforce.callers import Caller
from workforce.errors import DomainError
from workforce.services.actors import freeze_actor, unfreeze_actor
from workforce.services.authenticating import authenticate_key

names = st.sampled_from(NAMES)
numbers = st.integers(min_value=0, max_value=30)


class InboxMachine(RuleBasedStateMachine):
    """The model: for each message and recipient the state that the calls alone lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.savepoint = transaction.savepoint()
        self.inbox = create_inbox(organization=make_organization(), slug="release")
        self.team = make_team(self.inbox)
        self.frozen: set[str] = set()
        self.gone: set[str] = set()
        self.sent: list[tuple[UUID, Type, bool]] = []
        self.states: dict[tuple[UUID, str], State] = {}
        self.contents: dict[Any, UUID] = {}
        self.seen: dict[int, tuple[Any, ...]] = {}

    def teardown(self) -> None:
        transaction.savepoint_rollback(self.savepoint)

    def _hand(self, name: str) -> Hand | None:
        """The actor's hand, proved by its key as every call is; None when its calls are refused."""
        from messaging.inbox.selectors.inboxes import access_inbox

        try:
            caller: Caller = authenticate_key(text=self.team[name].key, passname_header=None)
            hand = access_inbox(caller, "release")
        except DomainError:
            assert name in self.frozen | self.gone
            return None
        assert name not in self.frozen | self.gone
        return hand

    @initialize()
    def some_messages(self) -> None:
        for number, name in enumerate(NAMES):
            self._send(name, type=Type.REQUEST, payload=["first", number])

    @rule(
        name=names,
        type=st.sampled_from(list(Type)),
        content=st.integers(min_value=0, max_value=2),
        to=st.none() | st.sets(names, max_size=3),
        approval=st.booleans(),
        reply=st.none() | numbers,
    )
    def send(
        self, name: str, type: Type, content: int, to: set[str] | None, approval: bool, reply: int | None
    ) -> None:
        parent = None if reply is None else self.sent[reply % len(self.sent)][0]
        chosen = None if to is None else sorted(to)
        self._send(
            name,
            type=type,
            payload=content,
            to=chosen,
            approval=approval and type is Type.REQUEST,
            replying_to=parent,
        )

    def _send(self, name: str, *, type: Type, payload: Any, **fields: Any) -> None:
        hand = self._hand(name)
        if hand is None:
            return
        before = self._rows()
        to = fields.get("to")
        active = [each for each in NAMES if each not in self.gone]
        expected = [each for each in (active if to is None else to) if each != name]
        key = (
            name,
            type,
            str(payload),
            fields.get("approval", False),
            fields.get("replying_to"),
            to and tuple(to),
            to is None,
        )
        try:
            sent = send_message(hand=hand, letter=Letter(type=type, payload=payload, topic="plan", **fields))
        except DomainError as refusal:
            assert self._rows() == before
            unknown = [each for each in to or [] if each in self.gone]
            assert refusal.code == ("unknown-passname" if unknown else "no-recipients"), refusal
            assert unknown or not expected
            return
        assert sent.duplicate == (key in self.contents)
        if sent.duplicate:
            assert sent.message.pk == self.contents[key]
            assert self._rows() == before
            return
        self.contents[key] = sent.message.pk
        self.sent.append((sent.message.pk, type, fields.get("approval", False)))
        for each in expected:
            self.states[sent.message.pk, each] = State.PENDING
        assert [standing.passname for standing in sent.recipients] == sorted(expected)

    @rule(name=names, limit=st.integers(min_value=1, max_value=5), ascending=st.booleans())
    def pull(self, name: str, limit: int, ascending: bool) -> None:
        hand = self._hand(name)
        if hand is None:
            return
        page = pull_queue(hand=hand, wanted=Wanted(limit=limit, ascending=ascending))
        open_ids = self._open(name)
        wanted = open_ids[:limit] if ascending else open_ids[::-1][:limit]
        assert [item["id"] for item in page.items] == [str(key) for key in wanted]
        assert {item["state"] for item in page.items} <= {"delivered"}
        for key in wanted:
            self.states[key, name] = State.DELIVERED

    def _open(self, name: str) -> list[UUID]:
        return [
            key for key, _, _ in self.sent if self.states.get((key, name)) in (State.PENDING, State.DELIVERED)
        ]

    @rule(name=names, number=numbers, act=st.sampled_from(list(Act)))
    def move(self, name: str, number: int, act: Act) -> None:
        hand = self._hand(name)
        if hand is None:
            return
        key, type, approval = self.sent[number % len(self.sent)]
        verdict = self._verdict(key, name, type, approval, act)
        before = self._rows()
        try:
            receipt = move_receipt(hand=hand, message_id=key, act=act)
        except DomainError as refusal:
            assert refusal.code == verdict
            assert self._rows() == before
            return
        assert verdict in (Verdict.MOVE, Verdict.DONE)
        if verdict is Verdict.DONE:
            assert self._rows() == before
        self.states[key, name] = State(receipt.state)

    def _verdict(self, key: UUID, name: str, type: Type, approval: bool, act: Act) -> str:
        state = self.states.get((key, name))
        if state is None:
            return "not-found"
        return judge(act, state=state, type=type, approval=approval, by_person=name == "boss")

    @rule(name=names, picked=st.lists(numbers, min_size=1, max_size=6), act=st.sampled_from(list(Act)))
    def move_many(self, name: str, picked: list[int], act: Act) -> None:
        hand = self._hand(name)
        if hand is None:
            return
        chosen = [self.sent[number % len(self.sent)] for number in picked]
        verdicts = [self._verdict(key, name, type, approval, act) for key, type, approval in chosen]
        outcomes = move_receipts(hand=hand, message_ids=[key for key, _, _ in chosen], act=act)
        for (key, _, _), verdict, outcome in zip(chosen, verdicts, outcomes, strict=True):
            if outcome.receipt is not None:
                assert verdict in (Verdict.MOVE, Verdict.DONE)
                self.states[key, name] = State(outcome.receipt.state)
            else:
                assert outcome.refusal is not None
                assert outcome.refusal.code == verdict

    @rule(name=names, number=numbers)
    def close(self, name: str, number: int) -> None:
        hand = self._hand(name)
        if hand is not None:
            with suppress(DomainError):
                close_message(hand=hand, message_id=self.sent[number % len(self.sent)][0])

    @rule(name=names)
    def freeze(self, name: str) -> None:
        if name in self.frozen:
            unfreeze_actor(organization=self.inbox.organization, passname=name)
        else:
            freeze_actor(organization=self.inbox.organization, passname=name)
        self.frozen ^= {name}

    @rule(name=names)
    @precondition(lambda self: len(self.gone) < 2)
    def leave(self, name: str) -> None:
        if name not in self.gone:
            leave_inbox(inbox=self.inbox, passname=name)
            self.gone.add(name)

    @rule(name=names)
    def join(self, name: str) -> None:
        if name in self.gone:
            join_inbox(inbox=self.inbox, passname=name)
            self.gone.remove(name)

    def _rows(self) -> list[Any]:
        return [
            list(Message.objects.filter(inbox=self.inbox).order_by("pk").values()),
            list(Receipt.objects.filter(inbox=self.inbox).order_by("pk").values()),
        ]

    @invariant()
    def every_message_is_in_exactly_the_right_queues(self) -> None:
        found = {
            (receipt.message_id, receipt.recipient.passname): State(receipt.state)
            for receipt in Receipt.objects.filter(inbox=self.inbox).select_related("recipient")
        }
        assert found == self.states
        assert Message.objects.filter(inbox=self.inbox).count() == len(self.sent)
        check_counters(self.inbox)

    @invariant()
    def a_walk_over_all_pages_equals_the_counts(self) -> None:
        for name in set(NAMES) - self.frozen - self.gone:
            hand = self._hand(name)
            assert hand is not None
            walked: list[str] = []
            after = None
            while True:
                page = look_at_queue(hand=hand, wanted=Wanted(limit=3, after=after))
                walked += [item["id"] for item in page.items]
                if page.ends_at is None:
                    break
                after = page.ends_at
            assert walked == [str(key) for key in self._open(name)]
            assert page.frame["counts"]["open"] == len(walked)

    @invariant()
    def what_is_closed_stays_so(self) -> None:
        for receipt in Receipt.objects.filter(inbox=self.inbox, state__in=CLOSED):
            facts = (receipt.state, receipt.delivered_at, receipt.closed_at, receipt.note)
            assert self.seen.setdefault(receipt.pk, facts) == facts

    @invariant()
    def the_events_lead_to_the_states(self) -> None:
        replayed: dict[tuple[UUID, str], str] = {}
        moves = InboxEvent.objects.filter(inbox=self.inbox).exclude(to_state="").order_by("id")
        for key, name, before, after in moves.values_list("message_id", "passname", "from_state", "to_state"):
            assert replayed.get((key, name), "pending") == before
            replayed[key, name] = after
        assert replayed == {key: state for key, state in self.states.items() if state is not State.PENDING}


@pytest.mark.django_db
def test_inbox__any_sequence_of_calls() -> None:
    run_state_machine_as_test(
        InboxMachine,
        settings=settings(
            max_examples=15, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
