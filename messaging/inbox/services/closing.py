"""Closing: a sender says that what it asked for is resolved. See docs/inbox.md."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from messaging.inbox.errors import NotYourMessage
from messaging.inbox.hands import Hand
from messaging.inbox.models import InboxEvent, Message
from messaging.inbox.selectors.messages import access_message
from messaging.inbox.services.recording import record
from workforce import clock


def close_message(*, hand: Hand, message_id: UUID) -> Message:
    """Mark the actor's own message as closed; the same call again answers the same time.

    Its recipients keep their own state, and see it on what is still open. Raises NotFound, NotYourMessage.
    """
    message = access_message(hand.inbox, message_id)
    if message.sender_id != hand.actor.pk:
        raise NotYourMessage(
            f"'{message.sender.passname}' sent this message, and only its sender closes it; complete or archive "
            "your own receipt instead"
        )
    with transaction.atomic():
        closed = Message.objects.filter(pk=message.pk, closed_at=None).update(closed_at=clock.now())
        if closed:
            record(hand=hand, kind=InboxEvent.Kind.CLOSED, message=message)
    message.refresh_from_db(fields=["closed_at"])
    return message
