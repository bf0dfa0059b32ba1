"""Messages over REST: sending, reading, and what a sender closes."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from messaging.inbox.api.inputs import NewMessage
from messaging.inbox.api.paths import message_id
from messaging.inbox.api.schemas import Head, SentMessage, WholeMessage
from messaging.inbox.api.views import InboxView
from messaging.inbox.hands import Hand
from messaging.inbox.models import InboxEvent
from messaging.inbox.selectors.messages import access_message, own_receipt
from messaging.inbox.services.closing import close_message
from messaging.inbox.services.recording import record
from messaging.inbox.services.sending import Letter, Sent, send_message, send_once
from messaging.inbox.shapes import head_shape, message_shape, standing_shape
from workforce.api.schemas.operations import Answer, Operation
from workforce.errors import DomainError
from workforce.kinds import NoInput
from workforce.models import Grant

#: What was wrong with the message itself: these refusals are counted as rejections.
REJECTIONS = (HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY)
MAX_CHARS = 10_000_000


class SendView(InboxView):
    """Send a message."""

    grants = {"POST": Grant.INBOX_WRITE}
    describes = {
        "POST": Operation(
            id="sendMessage",
            summary="Send a message; an equal one within the window is answered with the first.",
            answers={
                200: Answer("It had been sent before: the first one, with `duplicate`.", SentMessage),
                201: Answer("The message, with what is known of each recipient.", SentMessage, ("Location",)),
            },
            body=NewMessage,
            refuses=frozenset({409, 422}),
        )
    }

    def post(self, request: HttpCall, inbox: str) -> Response:
        hand = self.hand(inbox)
        try:
            sent = self._send(hand, self.body(NewMessage).letter())
        except DomainError as refusal:
            if refusal.status in REJECTIONS:
                record(hand=hand, kind=InboxEvent.Kind.REJECTED, code=refusal.code)
            raise
        return _sent_answer(inbox, sent)

    def _send(self, hand: Hand, letter: Letter) -> Sent:
        repeat = self.repeat(self.body_and_user[0])
        if repeat is None:
            return send_message(hand=hand, letter=letter)
        return send_once(hand=hand, caller=self.caller, letter=letter, repeat=repeat)


def _sent_answer(inbox: str, sent: Sent) -> Response:
    recipients = [standing_shape(standing) for standing in sent.recipients]
    body: dict[str, Any] = {**head_shape(sent.message), "recipients": recipients}
    if sent.duplicate:
        return Response({**body, "duplicate": True})
    return Response(
        body, status=201, headers={"Location": f"/api/inboxes/{inbox}/messages/{sent.message.pk}"}
    )


class MessageView(InboxView):
    """One message with its payload."""

    grants = {"GET": Grant.INBOX_READ}
    query = {"GET": frozenset({"maxChars"})}
    describes = {
        "GET": Operation(
            id="getMessage",
            summary="A message with its payload, or with as much of it as `maxChars`; changes nothing.",
            answers={200: Answer("The message.", WholeMessage)},
        )
    }

    def get(self, request: HttpCall, inbox: str, message: str) -> Response:
        hand = self.hand(inbox)
        found = access_message(hand.inbox, message_id(message), whole=True)
        most = self.whole("maxChars", minimum=1, maximum=MAX_CHARS)
        return Response(message_shape(found, own_receipt(hand, found), max_chars=most))


class CloseView(InboxView):
    """Close one's own message: what it asked for is resolved."""

    grants = {"POST": Grant.INBOX_WRITE}
    describes = {
        "POST": Operation(
            id="closeMessage",
            summary="Say that one's own request is resolved; its recipients are told and keep their own state.",
            answers={200: Answer("The message.", Head)},
            body=NoInput,
        )
    }

    def post(self, request: HttpCall, inbox: str, message: str) -> Response:
        hand = self.hand(inbox)
        found = access_message(hand.inbox, message_id(message))
        self.body(NoInput)
        return self.once(lambda: (200, head_shape(close_message(hand=hand, message_id=found.pk))))
