"""Sending a worker message: the log row, its place in the chain and its delivery are one transaction.

See docs/worker-messages.md.
"""

from __future__ import annotations

import secrets
import uuid
from dataclasses import dataclass

from django.db.models import F

from messaging.errors import HopLimit, NotDelivered, PerTurnLimit
from messaging.limits import message_limits
from messaging.models import Chain, WorkerMessage
from messaging.selectors.recipients import RECEIVE
from messaging.selectors.sent import count_sent
from messaging.services.delivering import land
from workforce.dispatch.handoffs import hand_off
from workforce.errors import DomainError
from workforce.kinds import Call
from workforce.kinds.messages import MessageDelivery
from workforce.models import Request, Seat, Session

Status = WorkerMessage.Status


@dataclass(frozen=True, slots=True)
class Letter:
    """What a worker wants to send: checked, but for what only the transaction can tell."""

    sender: Seat
    recipient: Seat
    text: str
    #: The message that it answers.
    answers: WorkerMessage | None
    #: Of this one sending, the same when its turn runs again.
    key: str
    automatic: bool = False


def send(*, call: Call, letter: Letter) -> WorkerMessage:
    """Log the message and hand it to its recipient, in the transaction of the call.

    Raises HopLimit and PerTurnLimit, which leave no row, and NotDelivered; for that the caller logs the refusal
    once this transaction is undone (``log_refused``).
    """
    check_chain(call.request)
    check_turn(call.request)
    chain = chain_of(call.request)
    message = _message(call, letter, chain)
    message.hop = _take_hop(chain)
    try:
        message.to_session = land(call=call, recipient=letter.recipient, answers=letter.answers)
    except DomainError as refusal:
        raise NotDelivered(f"'{letter.recipient.seat_id}' was not reached: {refusal.words}") from refusal
    message.save(force_insert=True)
    call.owed.append(_delivery(call, message, message.to_session))
    return message


def log_refused(*, call: Call, letter: Letter, reason: str) -> WorkerMessage:
    """Keep that the recipient's side refused the message: it uses up neither a hop nor a place in the turn."""
    message = _message(call, letter, chain_of(call.request))
    message.status, message.reason = Status.REFUSED, reason
    message.save(force_insert=True)
    return message


def check_turn(request: Request) -> None:
    """Raise PerTurnLimit when the turn has sent as many messages as it may."""
    limit, sent = message_limits().per_turn, count_sent(request)
    if sent >= limit:
        raise PerTurnLimit(
            f"this turn has sent {sent} messages, and {limit} is the most; go on without another"
        )


def check_chain(request: Request) -> None:
    """Raise HopLimit when the chain is full, without taking a place in it."""
    row = Chain.objects.filter(uid=chain_of(request)).first()
    if row is not None and row.count >= message_limits().hop_limit:
        raise _full()


def chain_of(request: Request) -> uuid.UUID:
    """The chain that a turn belongs to: that of the user's line behind it, else one of its own."""
    return request.chain_uid or request.uid


def left_in(message: WorkerMessage) -> int:
    """How many messages the chain may still have."""
    return message_limits().hops_left(message.hop)


def _take_hop(chain: uuid.UUID) -> int:
    """The next number of the chain, decided by the database also between parallel branches. Raises HopLimit."""
    Chain.objects.bulk_create([Chain(uid=chain)], ignore_conflicts=True)
    free = Chain.objects.filter(uid=chain, count__lt=message_limits().hop_limit)
    if not free.update(count=F("count") + 1):
        raise _full()
    return Chain.objects.values_list("count", flat=True).get(uid=chain)


def _full() -> HopLimit:
    limit = message_limits().hop_limit
    return HopLimit(
        f"this chain of messages has {limit}, which is the most; stop passing on, and say so in your answer"
    )


def _message(call: Call, letter: Letter, chain: uuid.UUID) -> WorkerMessage:
    message_id = f"msg_{secrets.token_hex(10)}"
    return WorkerMessage(
        message_id=message_id,
        organization_id=call.session.organization_id,
        owner_id=call.session.owner_id,
        sender=letter.sender.seat_id,
        recipient=letter.recipient.seat_id,
        text=letter.text,
        exchange=letter.answers.exchange if letter.answers else message_id,
        reply_to=letter.answers.message_id if letter.answers else "",
        from_session=call.session,
        request_uid=call.request.uid,
        chain_uid=chain,
        automatic=letter.automatic,
        status=Status.DELIVERED,
        dispatch_key=letter.key,
    )


def _delivery(call: Call, message: WorkerMessage, landing: Session) -> Request:
    delivery = MessageDelivery.model_validate(
        {
            "messageId": message.message_id,
            "from": message.sender,
            "text": message.text,
            "replyTo": message.reply_to or None,
        }
    )
    return hand_off(
        of=call.request,
        session_id=landing.pk,
        action=RECEIVE,
        input=delivery.model_dump(mode="json", by_alias=True, exclude_none=True),
        key=f"message:{message.message_id}",
        chain_uid=message.chain_uid,
    )
