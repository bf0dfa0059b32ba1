"""Reading messages, and where their recipients stand with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber

from messaging.inbox.errors import nothing_here
from messaging.inbox.hands import Hand
from messaging.inbox.models import Inbox, Message, Participation, Receipt
from messaging.inbox.receipts import State


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known now of a recipient of a message."""

    passname: str
    state: str
    frozen: bool
    retired: bool
    left: bool
    last_pulled_at: datetime | None
    delivered_at: datetime | None = None
    closed_at: datetime | None = None

    @classmethod
    def of_new(cls, place: Participation) -> Standing:
        """Of somebody whom a message was just sent to."""
        return cls(
            passname=place.actor.passname,
            state=State.PENDING,
            frozen=place.actor.frozen_at is not None,
            retired=False,
            left=False,
            last_pulled_at=place.last_pulled_at,
        )


def messages_of(inbox: Inbox) -> QuerySet[Message]:
    """The messages of an inbox with their senders, without what is heavy."""
    return Message.objects.filter(inbox=inbox).select_related("sender").defer(*Message.HEAVY)


def access_message(inbox: Inbox, message_id: UUID, *, whole: bool = False) -> Message:
    """A message of the inbox, with its payload when asked for. Raises NotFound for any other."""
    rows = messages_of(inbox)
    if whole:
        rows = Message.objects.filter(inbox=inbox).select_related("sender").defer("words")
    found = rows.filter(pk=message_id).first()
    if found is None:
        raise nothing_here()
    return found


def own_receipt(hand: Hand, message: Message) -> Receipt | None:
    """The actor's receipt of a message; None when it was not sent to it."""
    return Receipt.objects.filter(message=message, recipient=hand.actor).first()


def own_states(hand: Hand, messages: Iterable[Message]) -> dict[UUID, Receipt]:
    """The actor's receipts of some messages, by message."""
    keys = [message.pk for message in messages]
    return {
        receipt.message_id: receipt
        for receipt in Receipt.objects.filter(recipient=hand.actor, message_id__in=keys)
    }


def receipts_of(message: Message) -> QuerySet[Receipt]:
    """The receipts of a message with their recipients."""
    return Receipt.objects.filter(message=message).select_related("recipient")


def standings_of(messages: Iterable[Message]) -> dict[UUID, list[Standing]]:
    """For each message (all of one inbox), where each recipient stands, by passname; one query."""
    keys = [message.pk for message in messages]
    return _standings(keys, Receipt.objects.filter(message_id__in=keys))


def open_standings_of(messages: Iterable[Message], *, most: int) -> dict[UUID, list[Standing]]:
    """The same of so many at most of those who have it open; one query, however many recipients there are."""
    keys = [message.pk for message in messages]
    first = Window(RowNumber(), partition_by="message_id", order_by="recipient_id")
    opened = Receipt.objects.filter(Receipt.IS_OPEN, message_id__in=keys).annotate(number=first)
    named = opened.filter(number__lte=most).values("pk")
    return _standings(keys, Receipt.objects.filter(pk__in=named))


def _standings(keys: list[UUID], receipts: QuerySet[Receipt]) -> dict[UUID, list[Standing]]:
    rows = receipts.filter(recipient__participations__inbox=F("inbox")).values_list(
        *("message_id", "recipient__passname", "state", "recipient__frozen_at", "recipient__retired_at"),
        *("recipient__participations__left_at", "recipient__participations__last_pulled_at"),
        *("delivered_at", "closed_at"),
    )
    found: dict[UUID, list[Standing]] = {key: [] for key in keys}
    for key, passname, state, frozen, retired, left, pulled, delivered, closed in rows.order_by(
        "recipient__passname"
    ):
        found[key].append(
            Standing(
                passname,
                state,
                frozen is not None,
                retired is not None,
                left is not None,
                pulled,
                delivered,
                closed,
            )
        )
    return found


def payloads_of(messages: Iterable[Message]) -> dict[UUID, Any]:
    """The payloads of some messages."""
    keys = [message.pk for message in messages]
    return dict(Message.objects.filter(pk__in=keys).values_list("pk", "payload"))
