"""Sending: the one way a message gets into an inbox. See docs/inbox.md, "Sending"."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F

from messaging.inbox.errors import SchemaMismatch, SecretInPayload, payload_too_large
from messaging.inbox.fitting import SHOWN, misfits
from messaging.inbox.hands import Hand
from messaging.inbox.hooks import tell_sent
from messaging.inbox.models import Inbox, InboxEvent, Message, Participation, PayloadSchema, Receipt
from messaging.inbox.payloads import EXCERPT, compact, searchable, size_of
from messaging.inbox.receipts import State
from messaging.inbox.secrets import find_secret
from messaging.inbox.selectors.inboxes import window_of
from messaging.inbox.selectors.messages import Standing, access_message, standings_of
from messaging.inbox.services.addressing import access_recipients, counted_in, normalised
from messaging.inbox.services.recording import recorded
from workforce import clock
from workforce.callers import Caller
from workforce.errors import IdempotencyKeyReused, InvalidInput
from workforce.ids import new_uuid
from workforce.models import IdempotencyRecord
from workforce.services import idempotency
from workforce.services.keys import SYSTEM_PASSNAME
from workforce.sql.writing import Write, copies, insertions, write_together


@dataclass(frozen=True, slots=True)
class Letter:
    """What is to be sent. ``to`` None is everybody else; ``topic`` None is the parent's."""

    type: str
    payload: Any
    topic: str | None = None
    replying_to: UUID | None = None
    to: list[str] | None = None
    approval: bool = False
    allow_duplicate: bool = False
    allow_secret: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """The message, what is known now of each recipient, and whether it had been sent before."""

    message: Message
    recipients: list[Standing]
    duplicate: bool = False


class _FoundBefore(Exception):
    """An equal message was sent within the window."""

    def __init__(self, message: Message) -> None:
        self.message = message


def send_message(*, hand: Hand, letter: Letter) -> Sent:
    """Store the message with a receipt per recipient, or answer with an equal one from within the window.

    A refusal writes nothing. Raises TooLarge, SecretInPayload, NotFound for a ``replying_to`` that is no message
    of this inbox, InvalidInput without a topic, SchemaMismatch, UnknownPassname, RecipientRetired, NoRecipients,
    in this order.
    """
    text = _checked_text(letter)
    parent = access_message(hand.inbox, letter.replying_to) if letter.replying_to else None
    topic = letter.topic or (parent.topic if parent else None)
    if topic is None:
        raise InvalidInput.at("topic", "is required, unless the message is a reply, which takes its parent's")
    _check_fits(hand.inbox, letter.type, topic, letter.payload)
    to = normalised(letter.to)
    message = Message(
        id=new_uuid(),
        inbox=hand.inbox,
        sender=hand.actor,
        type=letter.type,
        topic=topic,
        approval=letter.approval,
        replying_to=parent,
        depth=parent.depth + 1 if parent else 0,
        payload=letter.payload,
        payload_size=size_of(text),
        excerpt=text[:EXCERPT],
        words=searchable(letter.payload),
        digest="" if letter.allow_duplicate else _digest(hand, letter, topic, to),
    )
    message.thread_id = parent.thread_id if parent else message.id
    try:
        with transaction.atomic():
            return Sent(message, _store(hand, message, to))
    except _FoundBefore as found:
        Inbox.objects.filter(pk=hand.inbox.pk).update(duplicates=F("duplicates") + 1)
        return Sent(found.message, standings_of([found.message])[found.message.pk], duplicate=True)


def send_once(*, hand: Hand, caller: Caller, letter: Letter, repeat: idempotency.Repeat) -> Sent:
    """Send under an ``Idempotency-Key``: within a day the same key is answered with the first message.

    What was refused leaves the key free. Raises IdempotencyKeyReused, with the first message's id, when the content
    differs, and as ``send_message``.
    """
    with transaction.atomic():
        try:
            kept, is_first = idempotency.begin(caller=caller, repeat=repeat)
        except IdempotencyKeyReused as refusal:
            raise _naming_first(caller, repeat, refusal) from None
        if is_first:
            sent = send_message(hand=hand, letter=letter)
            kept.request_uid = sent.message.pk
            kept.save(update_fields=["request_uid"])
            return sent
        Inbox.objects.filter(pk=hand.inbox.pk).update(retries=F("retries") + 1)
    assert kept.request_uid is not None
    message = access_message(hand.inbox, kept.request_uid)
    return Sent(message, standings_of([message])[message.pk], duplicate=True)


def _store(hand: Hand, message: Message, to: list[str] | None) -> list[Standing]:
    message.seq = _next_seq(hand.inbox)  # locks the inbox
    message.created_at = clock.now()
    if message.digest:
        _check_new(hand.inbox, message)
    recipients = access_recipients(hand=hand, to=to, to_service=_answers_service(message))
    message.recipient_count = message.open_receipts = len(recipients)
    write_together(
        [
            *insertions([message]),
            *_receipts(message, recipients),
            *counted_in(recipients, seq=message.seq),
            recorded(hand=hand, kind=InboxEvent.Kind.SENT, message=message),
        ]
    )
    tell_sent(message, hand)
    return [Standing.of_new(place) for place in recipients]


def _answers_service(message: Message) -> bool:
    """Whether the message answers one that the service itself sent."""
    parent = message.replying_to
    return parent is not None and parent.sender.passname == SYSTEM_PASSNAME


def _next_seq(inbox: Inbox) -> int:
    table = connection.ops.quote_name(Inbox._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {table} SET message_seq = message_seq + 1 WHERE id = %s RETURNING message_seq",  # noqa: S608
            [inbox.pk],
        )
        (seq,) = cursor.fetchone()
    return int(seq)


def _check_new(inbox: Inbox, message: Message) -> None:
    """Raise _FoundBefore for an equal message within the window. The inbox is locked, so nobody sends one now."""
    seconds = window_of(inbox)
    if not seconds:
        return
    since = message.created_at - timedelta(seconds=seconds)
    equal = Message.objects.filter(inbox=inbox, digest=message.digest, created_at__gt=since).exclude(
        digest=""
    )
    found = list(equal.order_by("seq").values_list("pk", flat=True)[:1])
    if found:
        raise _FoundBefore(access_message(inbox, found[0]))


def _receipts(message: Message, recipients: list[Participation]) -> Iterator[Write]:
    prototype = Receipt(
        message=message,
        inbox_id=message.inbox_id,
        sender_id=message.sender_id,
        seq=message.seq,
        type=message.type,
        topic=message.topic,
        state=State.PENDING,
        created_at=message.created_at,
    )
    return copies(
        prototype=prototype, columns=["recipient_id"], rows=[(place.actor_id,) for place in recipients]
    )


def _checked_text(letter: Letter) -> str:
    text = compact(letter.payload)
    size = size_of(text)
    if size > settings.INBOX_MAX_PAYLOAD:
        raise payload_too_large(size, settings.INBOX_MAX_PAYLOAD)
    secret = None if letter.allow_secret else find_secret(letter.payload)
    if secret is not None:
        raise SecretInPayload.of(*secret)
    return text


def _check_fits(inbox: Inbox, type: str, topic: str, payload: Any) -> None:
    if not inbox.schema_count:
        return
    held = PayloadSchema.objects.filter(inbox=inbox, type=type, topic=topic).first()
    errors = misfits(held.schema, payload) if held else []
    if errors:
        sentence = "; ".join(f"{entry['path']}: {entry['message']}" for entry in errors[:3])
        more = (
            f"; and {'at least ' if len(errors) == SHOWN else ''}{len(errors) - 3} more"
            if len(errors) > 3
            else ""
        )
        raise SchemaMismatch(
            f"the payload does not fit the schema of '{type}' in '{topic}': {sentence}{more}", errors=errors
        )


def _digest(hand: Hand, letter: Letter, topic: str, to: list[str] | None) -> str:
    """What makes two sends equal; half of a SHA-256, for it stands in an index."""
    parent = str(letter.replying_to) if letter.replying_to else None
    parts = [hand.actor.pk, letter.type, topic, letter.approval, parent, to, letter.payload]
    return idempotency.digest_of(parts)[:32]


def _naming_first(
    caller: Caller, repeat: idempotency.Repeat, refusal: IdempotencyKeyReused
) -> IdempotencyKeyReused:
    first = IdempotencyRecord.objects.filter(
        organization=caller.organization, user=caller.user, key=repeat.key, path=repeat.path
    ).first()
    if first is None or first.request_uid is None:
        return refusal
    return IdempotencyKeyReused(
        f"{refusal.words}; the first call with it sent the message {first.request_uid}",
        id=str(first.request_uid),
    )
