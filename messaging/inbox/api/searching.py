"""Search over REST: the history of an inbox, for every participant."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from messaging.inbox.api.filters import SearchFilters
from messaging.inbox.api.pages import seq_page
from messaging.inbox.api.schemas import SearchPage
from messaging.inbox.api.views import InboxView
from messaging.inbox.receipts import State
from messaging.inbox.selectors.messages import messages_of, own_states
from messaging.inbox.selectors.searching import with_own_state
from messaging.inbox.shapes import found_shape
from workforce.api.paging import filter_strictly
from workforce.api.schemas.operations import Answer, Operation
from workforce.models import Grant

_INSTANT = {"type": "string", "examples": ["2026-03-01T09:00:00Z"]}


class SearchView(InboxView):
    """Messages by topic, type, sender, time, the caller's own state, and words."""

    grants = {"GET": Grant.INBOX_READ}
    query = {
        "GET": frozenset({"limit", "cursor", "topic", "type", "sender", "since", "until", "status", "q"})
    }
    describes = {
        "GET": Operation(
            id="searchMessages",
            summary='Messages, newest first; every word and every "quoted phrase" of `q` must occur as written.',
            answers={200: Answer("A page of messages.", SearchPage)},
            query={
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
                "status": {"type": "string", "enum": list(State)},
                "since": _INSTANT,
                "until": _INSTANT,
            },
        )
    }

    def get(self, request: HttpCall, inbox: str) -> Response:
        hand = self.hand(inbox)
        rows, by = messages_of(hand.inbox), "seq"
        status = request.query_params.get("status")
        if status in list(State):  # the receipts' own index gives the order then
            rows, by = with_own_state(hand, rows, status), "own__seq"
        rows = filter_strictly(SearchFilters, request.query_params, rows)
        found, more = seq_page(
            rows,
            scope=f"search:{hand.place.pk}",
            limit=self.limit(default=20, maximum=100),
            cursor=self.cursor,
            ascending=False,
            by=by,
        )
        states = own_states(hand, found)
        answer: dict[str, Any] = {
            "items": [found_shape(message, states.get(message.pk)) for message in found]
        }
        return Response(answer | ({"nextCursor": more} if more else {}))
