"""Receipts over REST: what a recipient does, and where everybody stands."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from messaging.inbox.api.inputs import BulkInput, MoveInput
from messaging.inbox.api.pages import seq_page
from messaging.inbox.api.paths import message_id
from messaging.inbox.api.schemas import BulkAnswer, ReceiptAnswer, ReceiptPage
from messaging.inbox.api.views import InboxView
from messaging.inbox.errors import nothing_here
from messaging.inbox.hands import Hand
from messaging.inbox.receipts import Act
from messaging.inbox.selectors.messages import access_message, receipts_of
from messaging.inbox.services.moving import Outcome, move_receipt, move_receipts
from messaging.inbox.shapes import receipt_shape
from workforce.api.schemas.operations import Answer, Operation
from workforce.errors import DomainError, NotFound
from workforce.models import Grant

_WORDS = {
    Act.ACKNOWLEDGE: "Say that an info or a message was taken in; a request is completed or archived instead.",
    Act.COMPLETE: "Say that it was dealt with.",
    Act.ARCHIVE: "Put it aside as not relevant, for oneself alone.",
}


def described(act: Act) -> dict[str, Operation]:
    """What the document says of an act's path."""
    return {
        "POST": Operation(
            id=f"{act.value}Message",
            summary=_WORDS[act],
            answers={
                200: Answer("The caller's receipt; the same call again answers the same.", ReceiptAnswer)
            },
            body=MoveInput,
            refuses=frozenset({409}),
        )
    }


class MoveView(InboxView):
    """Close one's own receipt; each act has a path of its own."""

    grants = {"POST": Grant.INBOX_READ}
    #: Set for each path, together with what describes it.
    act: Act = Act.COMPLETE

    def post(self, request: HttpCall, inbox: str, message: str) -> Response:
        hand = self.hand(inbox)
        found = message_id(message)
        value = self.body(MoveInput)

        def move() -> tuple[int, dict[str, Any]]:
            reply = message_id(value.reply_id) if value.reply_id is not None else None
            receipt = move_receipt(hand=hand, message_id=found, act=self.act, note=value.note, reply_id=reply)
            return 200, receipt_shape(receipt)

        return self.once(move)


class BulkView(InboxView):
    """Close many of one's own receipts, each for itself."""

    grants = {"POST": Grant.INBOX_READ}
    describes = {
        "POST": Operation(
            id="moveReceipts",
            summary="One act on up to 200 messages, each for itself.",
            answers={200: Answer("What came of each.", BulkAnswer)},
            body=BulkInput,
        )
    }

    def post(self, request: HttpCall, inbox: str) -> Response:
        hand = self.hand(inbox)
        value = self.body(BulkInput)
        return self.once(lambda: (200, {"items": _moved(hand, value)}))


def _moved(hand: Hand, value: BulkInput) -> list[dict[str, Any]]:
    ids = {}
    for text in value.ids:
        try:
            ids[text] = message_id(text)
        except NotFound:
            continue
    outcomes = move_receipts(hand=hand, message_ids=list(ids.values()), act=value.act)
    found = dict(zip(ids, outcomes, strict=True))
    return [_outcome(text, found.get(text)) for text in value.ids]


def _outcome(text: str, outcome: Outcome | None) -> dict[str, Any]:
    if outcome is not None and outcome.receipt is not None:
        return receipt_shape(outcome.receipt)
    refusal: DomainError = (outcome and outcome.refusal) or nothing_here()
    return {"id": text, "error": {"code": refusal.code, "message": refusal.words}}


class ReceiptsView(InboxView):
    """Where every recipient of a message stands; for every participant."""

    grants = {"GET": Grant.INBOX_READ}
    query = {"GET": frozenset({"limit", "cursor"})}
    describes = {
        "GET": Operation(
            id="listReceipts",
            summary="Where every recipient stands with a message, in the order of their joining.",
            answers={200: Answer("The receipts.", ReceiptPage)},
            query={"limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 1000}},
        )
    }

    def get(self, request: HttpCall, inbox: str, message: str) -> Response:
        hand = self.hand(inbox)
        found = access_message(hand.inbox, message_id(message))
        rows, more = seq_page(
            receipts_of(found),
            scope=f"receipts:{found.pk}",
            limit=self.limit(default=1000, maximum=1000),
            cursor=self.cursor,
            ascending=True,
            by="recipient_id",
        )
        answer: dict[str, Any] = {"items": [receipt_shape(receipt) for receipt in rows]}
        return Response(answer | ({"nextCursor": more} if more else {}))
