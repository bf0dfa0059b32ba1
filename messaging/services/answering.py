"""A turn's final text is its answer. See docs/worker-messages.md."""

from __future__ import annotations

from django.db import transaction

from messaging.errors import NotDelivered
from messaging.limits import answer_of
from messaging.models import WorkerMessage
from messaging.selectors.recipients import access_recipient
from messaging.selectors.sent import has_messaged
from messaging.services.sending import Letter, log_refused, send
from workforce.errors import DomainError
from workforce.kinds import Call
from workforce.kinds.messages import MessageDelivery


class Carrier:
    """The postman that workforce's kinds reach by their registry."""

    def answer(self, call: Call, delivery: MessageDelivery, text: str) -> None:
        """See ``workforce.kinds.messages.Postman``."""
        said = answer_of(text)
        if not said or delivery.reply_to is not None or has_messaged(call.request, delivery.sender):
            return
        try:
            _answer(call, delivery, said)
        except DomainError:
            return  # a limit, or who asked cannot be messaged any more


def _answer(call: Call, delivery: MessageDelivery, text: str) -> None:
    """Send it, or log that the recipient's side refused it. Raises whatever else the tool would be refused with."""
    asked = (
        WorkerMessage.objects.select_related("from_session").filter(message_id=delivery.message_id).first()
    )
    session, mine = call.session, call.session.seat
    if asked is None or mine is None:
        return
    letter = Letter(
        sender=mine,
        recipient=access_recipient(
            organization=session.organization, owner=session.owner, sender=mine, to=delivery.sender
        ),
        text=text,
        answers=asked,
        key=f"answer:{call.request.uid}",
        automatic=True,
    )
    try:
        with transaction.atomic():
            send(call=call, letter=letter)
    except NotDelivered as refusal:
        log_refused(call=call, letter=letter, reason=refusal.words)
