"""The inbound view over REST: pulling, looking, and who one is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.conf import settings
from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from messaging.inbox.api.filters import QueueFilters
from messaging.inbox.api.inputs import PullInput
from messaging.inbox.api.pages import cursor_at, position_of
from messaging.inbox.api.schemas import AccessAnswer, QueuePage
from messaging.inbox.api.views import InboxView
from messaging.inbox.hands import Hand
from messaging.inbox.selectors.inboxes import window_of
from messaging.inbox.selectors.queue import Wanted
from messaging.inbox.selectors.waiting import queue_topic
from messaging.inbox.services.pulling import Page, look_at_queue, pull_queue
from messaging.inbox.shapes import frame_shape
from workforce import clock
from workforce.api.paging import filter_strictly
from workforce.api.prefer import MAX_WAIT
from workforce.api.schemas.operations import Answer, Operation
from workforce.errors import InvalidInput
from workforce.models import Grant
from workforce.waits import WAIT_FOR, watch_header

_ORDERS = ("oldest", "newest")
_FILTERS = ("type", "topic", "sender")
_PAGE = Answer("What is open, with counts that make an empty answer one to believe.", QueuePage)


class QueueView(InboxView):
    """What both ways of reading one's queue share."""

    def wanted(
        self,
        hand: Hand,
        *,
        order: str,
        cursor: str | None,
        limit: int,
        params: Mapping[str, Any],
        budget: int | None,
    ) -> Wanted:
        """Which items, as the service takes it. Raises InvalidCursor for one of another queue or order."""
        filtered = any(name in params for name in _FILTERS)  # a filter set costs as much as a query
        wanted = Wanted(
            limit=limit,
            ascending=order == "oldest",
            after=position_of(_scope(hand, order), cursor),
            budget=budget,
        )
        if not filtered:
            return wanted
        return replace(wanted, narrow=lambda rows: filter_strictly(QueueFilters, params, rows))

    def answer(self, hand: Hand, page: Page, order: str) -> Response:
        """The page; without items the call may wait for one."""
        body = {**page.frame, "items": page.items}
        if page.ends_at is not None:
            body["nextCursor"] = cursor_at(_scope(hand, order), page.ends_at)
        if page.left_out:
            body["leftOut"] = page.left_out
        response = Response({name: body[name] for name in _NAMES if name in body})
        if not page.items and not page.left_out and self.whole("wait", minimum=0, maximum=MAX_WAIT):
            response[WAIT_FOR] = watch_header(queue_topic(hand), self.caller, resume="queue")
        return response


_NAMES = ("inbox", "passname", "items", "nextCursor", "counts", "totalMessages", "newestSeq", "leftOut")


def _scope(hand: Hand, order: str) -> str:
    return f"queue:{hand.place.pk}:{order}"


class PullView(QueueView):
    """The caller's open items; those that were pending are delivered with this answer."""

    grants = {"POST": Grant.INBOX_READ}
    query = {"POST": frozenset({"wait"})}
    describes = {
        "POST": Operation(
            id="pull",
            summary="Previews of what is open, oldest first; marks what it answers as delivered.",
            answers={200: _PAGE},
            body=PullInput,
        )
    }

    def post(self, request: HttpCall, inbox: str) -> Response:
        hand = self.hand(inbox)
        self.whole("wait", minimum=0, maximum=MAX_WAIT)
        value = self.body(PullInput)
        params = {name: word for name in _FILTERS if (word := getattr(value, name)) is not None}
        wanted = self.wanted(
            hand,
            order=value.order,
            cursor=value.cursor,
            limit=value.limit,
            params=params,
            budget=value.budget_chars,
        )
        return self.answer(hand, pull_queue(hand=hand, wanted=wanted), value.order)


class LookView(QueueView):
    """The same, without any change of state."""

    grants = {"GET": Grant.INBOX_READ}
    query = {"GET": frozenset({"limit", "cursor", "order", "budgetChars", "wait", *_FILTERS})}
    describes = {
        "GET": Operation(
            id="lookAtQueue",
            summary="Previews of what is open, oldest first; changes nothing.",
            answers={200: _PAGE},
            query={
                "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
                "order": {"type": "string", "enum": list(_ORDERS), "default": "oldest"},
            },
        )
    }

    def get(self, request: HttpCall, inbox: str) -> Response:
        hand = self.hand(inbox)
        self.whole("wait", minimum=0, maximum=MAX_WAIT)
        order = request.query_params.get("order", "oldest")
        if order not in _ORDERS:
            raise InvalidInput.at("order", "must be oldest or newest")
        wanted = self.wanted(
            hand,
            order=order,
            cursor=self.cursor,
            limit=self.limit(default=20, maximum=100),
            params=request.query_params,
            budget=self.whole("budgetChars", minimum=500, maximum=10_000_000),
        )
        return self.answer(hand, look_at_queue(hand=hand, wanted=wanted), order)


class AccessView(InboxView):
    """Who the caller is here: the first call of a run."""

    grants = {"GET": Grant.INBOX_READ}
    describes = {
        "GET": Operation(
            id="getAccess",
            summary="Who the caller is in this inbox, what its key may do, and how much is open.",
            answers={200: Answer("The caller.", AccessAnswer)},
        )
    }

    def get(self, request: HttpCall, inbox: str) -> Response:
        hand = self.hand(inbox)
        granted = self.caller.grants or frozenset()
        frame = frame_shape(hand)
        return Response(
            {
                "organization": self.caller.organization.slug,
                "inbox": frame.pop("inbox"),
                "passname": frame.pop("passname"),
                "displayName": hand.actor.display_name,
                "kind": hand.actor.kind,
                "keyPrefix": hand.key_prefix,
                "scopes": [scope for scope in ("read", "write") if f"inbox:{scope}" in granted],
                "joinedAt": clock.to_ms(hand.place.joined_at),
                **frame,
                "duplicateWindow": window_of(hand.inbox),
                "maxPayload": settings.INBOX_MAX_PAYLOAD,
            }
        )
