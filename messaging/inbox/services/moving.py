"""Acknowledging, completing and archiving: what a recipient does with what it was sent. See docs/inbox.md."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from messaging.inbox.errors import AlreadyClosed, NeedsAPerson, NotAcknowledgeable, nothing_here
from messaging.inbox.hands import Hand
from messaging.inbox.hooks import tell_moved
from messaging.inbox.models import InboxEvent, Message, Receipt
from messaging.inbox.receipts import TARGETS, Act, State, Type, Verdict, judge
from messaging.inbox.selectors.messages import access_message
from messaging.inbox.services.recording import record_moves
from workforce import clock
from workforce.errors import DomainError
from workforce.models import Actor
from workforce.sql.reading import Statement, locking
from workforce.sql.writing import adapted, execute, marks

#: What a note may hold.
NOTE = 4000
#: What a move reads; anything else of the rows loads when it is asked for. As a pull, it locks in the order of numbers.
_RECEIPTS = Statement(
    [
        (
            Receipt,
            "receipt",
            (
                *("id", "inbox_id", "recipient_id", "message_id", "seq", "type", "state", "delivered_at"),
                *("closed_at", "note", "reply_id"),
            ),
        ),
        (Message, "message", ("id", "approval")),
    ],
    "FROM messaging_receipt receipt JOIN messaging_message message ON message.id = receipt.message_id "
    "WHERE receipt.recipient_id = %s AND receipt.inbox_id = %s AND receipt.message_id IN ",
)
_CLOSE = (
    "UPDATE messaging_receipt SET state = %s, closed_at = %s, delivered_at = COALESCE(delivered_at, %s), "
    "note = %s, reply_id = %s WHERE closed_at IS NULL AND id IN "
)
_COUNT_MESSAGES = "UPDATE messaging_message SET open_receipts = open_receipts - 1 WHERE id IN "
_COUNT_PLACE = (
    "UPDATE messaging_participation SET pending = pending - %s, delivered = delivered - %s WHERE id = %s"
)
_KINDS = {
    Act.ACKNOWLEDGE: InboxEvent.Kind.ACKNOWLEDGED,
    Act.COMPLETE: InboxEvent.Kind.COMPLETED,
    Act.ARCHIVE: InboxEvent.Kind.ARCHIVED,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an act on one message: the receipt as it is now, or why not."""

    receipt: Receipt | None = None
    refusal: DomainError | None = None


def move_receipt(
    *, hand: Hand, message_id: UUID, act: Act, note: str = "", reply_id: UUID | None = None
) -> Receipt:
    """Close the actor's receipt of the message and return it; the same call again returns it as it was closed.

    Raises NotFound for a message that was not sent to the actor and for a ``reply_id`` that is no message of the
    inbox, AlreadyClosed, NotAcknowledgeable, NeedsAPerson.
    """
    reply = access_message(hand.inbox, reply_id) if reply_id else None
    with transaction.atomic():
        (outcome,) = _move(hand, [message_id], act, note=note, reply=reply)
        if outcome.refusal is not None:
            raise outcome.refusal
    assert outcome.receipt is not None
    return outcome.receipt


def move_receipts(*, hand: Hand, message_ids: Sequence[UUID], act: Act) -> list[Outcome]:
    """The same for many messages, each for itself; the outcomes in the order of the ids."""
    with transaction.atomic():
        return _move(hand, message_ids, act)


def _move(
    hand: Hand, message_ids: Sequence[UUID], act: Act, *, note: str = "", reply: Message | None = None
) -> list[Outcome]:
    receipts = _locked(hand, message_ids)
    outcomes = {receipt.message_id: _outcome(hand, receipt, act) for receipt in receipts}
    moving = [
        receipt
        for receipt in receipts
        if outcomes[receipt.message_id].refusal is None and receipt.closed_at is None
    ]
    if moving:
        _close(hand, moving, act, note, reply)
    return [outcomes.get(key) or Outcome(refusal=nothing_here()) for key in message_ids]


def _locked(hand: Hand, message_ids: Sequence[UUID]) -> list[Receipt]:
    """The actor's receipts of the messages, locked in the order of their numbers, as a pull locks them."""
    if not message_ids:
        return []
    keys = _message_keys(message_ids)
    locked = f"({marks(keys)}) ORDER BY receipt.seq{locking('NO KEY UPDATE OF receipt')}"
    receipts = []
    for receipt, message in _RECEIPTS.read([hand.actor.pk, hand.inbox.pk, *keys], more=locked):
        receipt.message, receipt.recipient = message, hand.actor
        receipts.append(receipt)
    return receipts


def _message_keys(ids: Iterable[UUID]) -> list[Any]:
    return [adapted(Message, "id", key) for key in ids]


def _outcome(hand: Hand, receipt: Receipt, act: Act) -> Outcome:
    state = State(receipt.state)
    verdict = judge(
        act,
        state=state,
        type=Type(receipt.type),
        approval=receipt.message.approval,
        by_person=hand.actor.kind == Actor.Kind.PERSON,
    )
    match verdict:
        case Verdict.MOVE | Verdict.DONE:
            return Outcome(receipt)
        case Verdict.ALREADY_CLOSED:
            return Outcome(refusal=AlreadyClosed.of(state, act))
        case Verdict.NOT_ACKNOWLEDGEABLE:
            return Outcome(refusal=NotAcknowledgeable())
        case Verdict.NEEDS_A_PERSON:
            return Outcome(
                refusal=NeedsAPerson(
                    f"only a person can complete a request for approval, and '{hand.actor.passname}' is an agent; "
                    "archive it, or let a person complete its own"
                )
            )


def _close(hand: Hand, receipts: list[Receipt], act: Act, note: str, reply: Message | None) -> None:
    now = clock.now()
    before = [receipt.state for receipt in receipts]
    keys = [receipt.pk for receipt in receipts]
    moment = adapted(Receipt, "closed_at", now)
    values = [str(TARGETS[act]), moment, moment, note, adapted(Message, "id", reply.pk) if reply else None]
    moved = execute(f"{_CLOSE}({marks(keys)})", [*values, *keys])
    assert moved == len(keys), "a locked receipt has moved"
    messages = [receipt.message_id for receipt in receipts]
    _count_messages(messages)
    for receipt in receipts:
        _follow(receipt, act, now, note, reply)
    record_moves(hand=hand, kind=_KINDS[act], to=TARGETS[act], moves=list(zip(messages, before, strict=True)))
    pending = before.count(State.PENDING)
    # Last: whatever else the actor closes at this moment waits for this row.
    execute(_COUNT_PLACE, [pending, len(before) - pending, hand.place.pk])
    tell_moved(receipts, hand)


def _count_messages(messages: list[UUID]) -> None:
    if len(messages) > 1:  # two recipients that close the same messages must not wait for each other
        rows = Message.objects.filter(pk__in=messages).select_for_update(no_key=True).order_by("pk")
        list(rows.values_list("pk", flat=True))
    execute(f"{_COUNT_MESSAGES}({marks(messages)})", _message_keys(messages))


def _follow(receipt: Receipt, act: Act, now: datetime, note: str, reply: Message | None) -> None:
    """Let the row in hand be what was written."""
    receipt.state = TARGETS[act]
    receipt.closed_at = now
    receipt.delivered_at = receipt.delivered_at or now
    receipt.note = note
    receipt.reply = reply
