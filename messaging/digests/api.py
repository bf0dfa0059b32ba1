"""Digests over REST: an actor's with its key, a user's with a browser session."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from pydantic import Field
from rest_framework.request import Request as HttpCall
from rest_framework.response import Response
from typing_extensions import TypedDict

from messaging.digests.models import DigestSubscription
from messaging.digests.subscribing import Subscriber, subscribe, subscriptions_of, unsubscribe
from messaging.inbox.api.inputs import InboxInput
from messaging.inbox.api.views import SetupView
from workforce import clock
from workforce.api.schemas.answers import CLOSED, Count
from workforce.api.schemas.operations import Answer, Operation
from workforce.kinds.lines import Moment
from workforce.models import Grant


class DigestInput(InboxInput):
    """How often, and where to."""

    channel: Literal["email", "telegram"]
    cadence: Literal["hourly", "daily", "weekly", "off"]
    address: str | None = Field(
        default=None,
        max_length=254,
        description="An e-mail address, or the number of a Telegram chat. Absent: the one before, else the user's.",
    )


class DigestAnswer(TypedDict):
    """One subscription; ``error`` and ``attempts`` while the last tries failed."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    channel: Literal["email", "telegram"]
    cadence: Literal["hourly", "daily", "weekly", "off"]
    address: NotRequired[str]
    nextAt: NotRequired[Moment]
    lastSentAt: NotRequired[Moment]
    attempts: NotRequired[Count]
    error: NotRequired[str]


class DigestList(TypedDict):
    """The caller's subscriptions, by channel."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[DigestAnswer]


class DigestsView(SetupView):
    """The caller's digests; or set them for a channel."""

    grants = {"GET": Grant.INBOX_READ, "PUT": Grant.INBOX_WRITE}
    describes = {
        "GET": Operation(
            id="listDigests",
            summary="The digests of the key's actor, or of the session's user.",
            answers={200: Answer("The subscriptions.", DigestList)},
        ),
        "PUT": Operation(
            id="setDigest",
            summary="Let digests of what is new and still open go to an address, or no longer (`off`).",
            answers={200: Answer("The subscription.", DigestAnswer)},
            body=DigestInput,
            refuses=frozenset({409}),
        ),
    }

    def get(self, request: HttpCall) -> Response:
        rows = subscriptions_of(Subscriber.of(self.caller))
        return Response({"items": [digest_shape(row) for row in rows]})

    def put(self, request: HttpCall) -> Response:
        value, subscriber = self.body(DigestInput), Subscriber.of(self.caller)
        if value.cadence == "off":
            unsubscribe(subscriber=subscriber, channel=value.channel)
            return Response({"channel": value.channel, "cadence": "off"})
        row = subscribe(
            subscriber=subscriber, channel=value.channel, cadence=value.cadence, address=value.address
        )
        return Response(digest_shape(row))


def digest_shape(row: DigestSubscription) -> dict[str, Any]:
    """A subscription."""
    shape: dict[str, Any] = {
        "channel": row.channel,
        "cadence": row.cadence,
        "address": row.address,
        "nextAt": clock.to_ms(row.next_at),
    }
    if row.last_sent_at is not None:
        shape["lastSentAt"] = clock.to_ms(row.last_sent_at)
    return (
        shape
        | ({"attempts": row.attempts} if row.attempts else {})
        | ({"error": row.error} if row.error else {})
    )
