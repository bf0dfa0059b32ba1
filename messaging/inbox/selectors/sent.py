"""What an actor sent, and what became of it: the outbound view."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Max, QuerySet

from messaging.inbox.hands import Hand
from messaging.inbox.models import Message
from messaging.inbox.selectors.messages import messages_of


@dataclass(frozen=True, slots=True)
class Replies:
    """How many replies a message has, and the newest of them."""

    count: int
    newest: Message


def sent_by(hand: Hand, *, unsettled: bool) -> QuerySet[Message]:
    """What the actor sent in the inbox; only what is not closed and still open for somebody, when so asked."""
    rows = messages_of(hand.inbox).filter(sender=hand.actor)
    return rows.filter(Message.IS_UNSETTLED) if unsettled else rows


def replies_to(messages: Iterable[Message]) -> dict[UUID, Replies]:
    """The replies to each of the messages that has some; two queries."""
    keys = [message.pk for message in messages]
    rows = (
        Message.objects.filter(replying_to_id__in=keys)
        .order_by()
        .values_list("replying_to_id")
        .annotate(count=Count("pk"), newest=Max("seq"))
    )
    counted = {key: (count, newest) for key, count, newest in rows}
    if not counted:
        return {}
    numbers = [newest for _, newest in counted.values()]
    newest = Message.objects.filter(replying_to_id__in=counted, seq__in=numbers)
    found = {
        (message.replying_to_id, message.seq): message
        for message in newest.select_related("sender").defer(*Message.HEAVY)
    }
    return {key: Replies(count, found[key, number]) for key, (count, number) in counted.items()}
