"""Threads over REST."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from messaging.inbox.api.messages import MAX_CHARS
from messaging.inbox.api.pages import cursor_at, position_of
from messaging.inbox.api.paths import message_id
from messaging.inbox.api.schemas import ThreadPage
from messaging.inbox.api.views import InboxView
from messaging.inbox.hands import Hand
from messaging.inbox.models import Message
from messaging.inbox.selectors.messages import access_message, own_states, payloads_of
from messaging.inbox.selectors.threads import ancestry_of, thread_of
from messaging.inbox.shapes import message_shape
from workforce.api.schemas.operations import Answer, Operation
from workforce.errors import InvalidInput
from workforce.models import Grant

_VIEWS = ("ancestry", "all")
#: So many characters of payloads are in one answer, beside a first message that is longer by itself.
ANSWER = 1_000_000


class ThreadView(InboxView):
    """The messages around one: from the root to it, or all of its thread."""

    grants = {"GET": Grant.INBOX_READ}
    query = {"GET": frozenset({"view", "limit", "maxChars", "cursor"})}
    describes = {
        "GET": Operation(
            id="getThread",
            summary="From the root to this message (`ancestry`), or every message of the thread (`all`), in order.",
            answers={200: Answer("A page of the thread; what is not in it is counted.", ThreadPage)},
            query={
                "view": {"type": "string", "enum": list(_VIEWS), "default": "ancestry"},
                "limit": {"type": "integer", "minimum": 1, "maximum": 200, "default": 100},
            },
        )
    }

    def get(self, request: HttpCall, inbox: str, message: str) -> Response:
        hand = self.hand(inbox)
        found = access_message(hand.inbox, message_id(message))
        view = request.query_params.get("view", "ancestry")
        if view not in _VIEWS:
            raise InvalidInput.at("view", "must be ancestry or all")
        most = self.whole("maxChars", minimum=1, maximum=MAX_CHARS)
        limit = self.limit(default=100, maximum=200)
        scope = f"thread:{view}:{found.pk if view == 'ancestry' else found.thread_id}"
        start = position_of(scope, self.cursor)
        rows, total = _rows(hand, found, view, start, limit)
        kept = list(_fitting(rows[:limit], most))
        answer: dict[str, Any] = {
            "threadId": str(found.thread_id),
            "view": view,
            "items": _shapes(hand, kept, most),
            "total": total,
        }
        if total > len(kept):
            answer["leftOut"] = total - len(kept)
        if kept and len(kept) < len(rows):
            answer["nextCursor"] = cursor_at(scope, kept[-1].depth if view == "ancestry" else kept[-1].seq)
        return Response(answer)


def _rows(hand: Hand, found: Message, view: str, start: int | None, limit: int) -> tuple[list[Message], int]:
    """The messages of the page and one more, and how many the view has in all."""
    if view == "ancestry":
        after = -1 if start is None else start
        return ancestry_of(hand.inbox, found, after=after, limit=limit + 1), found.depth + 1
    rows = thread_of(hand.inbox, found)
    total = rows.count()
    if start is not None:
        rows = rows.filter(seq__gt=start)
    return list(rows.order_by("seq")[: limit + 1]), total


def _fitting(messages: list[Message], most: int | None) -> Iterator[Message]:
    """As many of the messages as their payloads leave room for, and the first in any case."""
    left = ANSWER
    for number, message in enumerate(messages):
        left -= message.payload_size if most is None else min(most, message.payload_size)
        if left < 0 and number:
            return
        yield message


def _shapes(hand: Hand, messages: list[Message], most: int | None) -> list[dict[str, Any]]:
    states, payloads = own_states(hand, messages), payloads_of(messages)
    for message in messages:
        message.payload = payloads[message.pk]
    return [message_shape(message, states.get(message.pk), max_chars=most) for message in messages]
