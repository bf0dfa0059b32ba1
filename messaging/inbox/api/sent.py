"""The outbound view over REST: what one waits for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from messaging.inbox.api.filters import SentFilters
from messaging.inbox.api.pages import cursor_at, seq_page
from messaging.inbox.api.schemas import OutboundPage
from messaging.inbox.api.views import InboxView
from messaging.inbox.models import Message
from messaging.inbox.receipts import Type
from messaging.inbox.selectors.messages import standings_of
from messaging.inbox.selectors.sent import Replies, replies_to, sent_by
from messaging.inbox.shapes import head_shape, standing_shape
from workforce import clock
from workforce.api.paging import filter_strictly
from workforce.api.schemas.operations import Answer, Operation
from workforce.models import Grant

#: So many recipients are in one answer, beside a first message that has more by itself.
RECIPIENTS = 20_000


class SentView(InboxView):
    """The caller's own messages, newest first, with their recipients and replies."""

    grants = {"GET": Grant.INBOX_READ}
    query = {"GET": frozenset({"limit", "cursor", "type", "topic", "open"})}
    describes = {
        "GET": Operation(
            id="listSent",
            summary="What the caller sent, newest first; with `open=true` what it still waits for.",
            answers={200: Answer("A page of messages.", OutboundPage)},
            query={"limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}},
        )
    }

    def get(self, request: HttpCall, inbox: str) -> Response:
        hand = self.hand(inbox)
        unsettled = request.query_params.get("open") == "true"
        rows = filter_strictly(SentFilters, request.query_params, sent_by(hand, unsettled=unsettled))
        if request.query_params.get("open") == "false":
            rows = rows.exclude(Message.IS_UNSETTLED)
        scope = f"sent:{hand.place.pk}"
        found, more = seq_page(
            rows,
            scope=scope,
            limit=self.limit(default=20, maximum=100),
            cursor=self.cursor,
            ascending=False,
        )
        kept = list(_fitting(found))
        if len(kept) < len(found):
            more = cursor_at(scope, kept[-1].seq)
        answer: dict[str, Any] = {"items": _shapes(kept)}
        return Response(answer | ({"nextCursor": more} if more else {}))


def _fitting(messages: list[Message]) -> Iterator[Message]:
    """As many of the messages as their recipients leave room for, and the first in any case."""
    left = RECIPIENTS
    for number, message in enumerate(messages):
        left -= message.recipient_count
        if left < 0 and number:
            return
        yield message


def _shapes(messages: list[Message]) -> list[dict[str, Any]]:
    standings, replies, now = standings_of(messages), replies_to(messages), clock.now()
    return [
        {
            **head_shape(message),
            "recipients": [standing_shape(each, with_times=True) for each in standings[message.pk]],
            **_replies(replies.get(message.pk)),
            "age": max(0, clock.to_ms(now) - clock.to_ms(message.created_at)),
        }
        for message in messages
    ]


def _replies(replies: Replies | None) -> dict[str, Any]:
    if replies is None:
        return {"replies": 0}
    newest = replies.newest
    return {
        "replies": replies.count,
        "newestReply": {
            "id": str(newest.pk),
            "seq": newest.seq,
            "sender": newest.sender.passname,
            "type": Type(newest.type).value,
            "createdAt": clock.to_ms(newest.created_at),
        },
    }
