"""What the calls of an inbox answer: closed, in the order in which it is written."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from messaging.inbox.models import InboxEvent
from messaging.inbox.receipts import State, Type
from workforce.api.schemas.answers import CLOSED, Anything, Count, Cursor
from workforce.kinds.lines import Moment, Uuid

TypeWord = Annotated[str, Field(json_schema_extra={"enum": list(Type)})]
StateWord = Annotated[str, Field(json_schema_extra={"enum": list(State)})]
KindWord = Annotated[str, Field(json_schema_extra={"enum": list(InboxEvent.Kind.values)})]
Yes = Literal[True]
Seq = Annotated[int, Field(ge=1, description="Its number in the inbox: 1, 2, 3 …")]
Excerpt = Annotated[str, Field(max_length=200, description="The beginning of the payload as compact JSON.")]
PayloadSize = Annotated[int, Field(ge=0, description="Bytes of the payload as compact UTF-8 JSON.")]


class CountsAnswer(TypedDict):
    """How many of the caller's receipts are open."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    open: Count
    pending: Count
    delivered: Count


class StandingAnswer(TypedDict):
    """What is known now of a recipient."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    passname: str
    state: StateWord
    frozen: bool
    lastPulledAt: Annotated[
        Moment | None,
        Field(description="When it last pulled from this inbox, to the minute; null for never."),
    ]
    retired: NotRequired[Yes]
    left: NotRequired[Yes]


class TimesAnswer(TypedDict):
    """The times of a receipt; one of the last three, once it is closed."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    deliveredAt: Moment | None
    acknowledgedAt: NotRequired[Moment]
    completedAt: NotRequired[Moment]
    archivedAt: NotRequired[Moment]


class TimedStandingAnswer(StandingAnswer, TimesAnswer):
    """What is known now of a recipient, with times."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]


class ReceiptAnswer(TimesAnswer):
    """A receipt; ``id`` is the message's."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: Uuid
    passname: str
    state: StateWord
    note: NotRequired[str]
    replyId: NotRequired[Uuid]


class ReceiptPage(TypedDict):
    """Receipts by passname."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[ReceiptAnswer]
    nextCursor: NotRequired[Cursor]


class NotMoved(TypedDict):
    """Why a receipt was not moved."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    code: str
    message: str


class BulkRefusal(TypedDict):
    """An id that nothing was done to."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: str
    error: NotMoved


class BulkAnswer(TypedDict):
    """What came of each id, in the order of the call."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[ReceiptAnswer | BulkRefusal]


class Head(TypedDict):
    """A message without its payload."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: Uuid
    seq: Seq
    sender: str
    type: TypeWord
    topic: str
    replyingTo: Uuid | None
    threadId: Annotated[Uuid, Field(description="The root's id; on the root its own.")]
    depth: Count
    payloadSize: PayloadSize
    createdAt: Moment
    approval: NotRequired[Yes]
    removedAt: NotRequired[
        Annotated[Moment, Field(description="When retention took the content; the row stays as a tombstone.")]
    ]
    closedAt: NotRequired[Annotated[Moment, Field(description="When its sender closed it.")]]


class SentMessage(Head):
    """A message that was sent, with what is known now of each recipient."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    recipients: list[StandingAnswer]
    duplicate: NotRequired[
        Annotated[Yes, Field(description="It had been sent before; this is the first one.")]
    ]


class NewestReply(TypedDict):
    """The newest reply to a message."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: Uuid
    seq: Seq
    sender: str
    type: TypeWord
    createdAt: Moment


class OutboundMessage(Head):
    """One's own message, with what became of it."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    recipients: list[TimedStandingAnswer]
    replies: Count
    newestReply: NotRequired[NewestReply]
    age: Annotated[int, Field(ge=0, description="Milliseconds since it was sent.")]


class OutboundPage(TypedDict):
    """One's own messages, newest first."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[OutboundMessage]
    nextCursor: NotRequired[Cursor]


class Preview(TypedDict):
    """An open item: enough to choose by."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: Uuid
    seq: Seq
    type: TypeWord
    topic: str
    sender: str
    replyingTo: Uuid | None
    threadId: Uuid
    createdAt: Moment
    excerpt: Excerpt
    payloadSize: PayloadSize
    state: StateWord
    deliveredAt: Moment | None
    approval: NotRequired[Yes]
    removedAt: NotRequired[Moment]
    closedBySender: NotRequired[Yes]


class QueuePage(TypedDict):
    """What is open for the caller."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    inbox: str
    passname: str
    items: list[Preview]
    nextCursor: NotRequired[Cursor]
    counts: CountsAnswer
    totalMessages: Annotated[int, Field(ge=0, description="Of the inbox, whoever they were sent to.")]
    newestSeq: Count
    leftOut: NotRequired[Annotated[int, Field(ge=1, description="Items of this page beyond the budget.")]]


class AccessAnswer(TypedDict):
    """Who the caller is here."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    organization: str
    inbox: str
    passname: str
    displayName: str
    kind: Literal["agent", "person"]
    keyPrefix: str
    scopes: list[Literal["read", "write"]]
    joinedAt: Moment
    counts: CountsAnswer
    totalMessages: Count
    newestSeq: Count
    duplicateWindow: Annotated[int, Field(ge=0, description="Seconds in which an equal send is folded.")]
    maxPayload: Annotated[int, Field(ge=1, description="Bytes of the largest payload.")]


class WholeMessage(Head):
    """A message with its payload, or with the beginning of it."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    state: NotRequired[Annotated[StateWord, Field(description="The caller's own; when it was sent to it.")]]
    deliveredAt: NotRequired[Moment]
    payload: NotRequired[Anything]
    payloadExcerpt: NotRequired[Annotated[str, Field(description="Instead of a payload over `maxChars`.")]]
    truncated: NotRequired[Yes]


class ThreadPage(TypedDict):
    """Messages of a thread, from the root on."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    threadId: Uuid
    view: Literal["ancestry", "all"]
    items: list[WholeMessage]
    total: Annotated[int, Field(ge=1, description="Messages of this view.")]
    leftOut: NotRequired[
        Annotated[int, Field(ge=1, description="Messages of this view that are not in this answer.")]
    ]
    nextCursor: NotRequired[Cursor]


class FoundMessage(Head):
    """A message that a search found."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    excerpt: Excerpt
    state: NotRequired[StateWord]
    deliveredAt: NotRequired[Moment]


class SearchPage(TypedDict):
    """Messages, newest first."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[FoundMessage]
    nextCursor: NotRequired[Cursor]


#: Written as a call because ``from`` is a word of the language.
InboxEventAnswer = TypedDict(
    "InboxEventAnswer",
    {
        "kind": KindWord,
        "passname": Annotated[str, Field(description="Whose act it was, or whom it concerns.")],
        "keyPrefix": str,
        "at": Moment,
        "messageId": NotRequired[Uuid],
        "from": NotRequired[StateWord],
        "to": NotRequired[StateWord],
        "code": NotRequired[Annotated[str, Field(description="Of a rejection: the refusal's.")]],
    },
)
InboxEventAnswer.__doc__ = "One thing that happened in an inbox."
InboxEventAnswer.__pydantic_config__ = CLOSED  # type: ignore[attr-defined]


class InboxEventPage(TypedDict):
    """What happened."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[InboxEventAnswer]
    nextCursor: NotRequired[Cursor]


class IncidentAnswer(TypedDict):
    """Refused calls of one key prefix, for one reason, in one minute."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    prefix: Annotated[str, Field(description="Empty for what has not the form of a key.")]
    reason: Annotated[str, Field(description="The code of the refusal.")]
    at: Annotated[Moment, Field(description="The minute.")]
    count: Annotated[int, Field(ge=1)]
    passname: NotRequired[Annotated[str, Field(description="Whose key has the prefix.")]]


class IncidentPage(TypedDict):
    """Incidents, newest first."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[IncidentAnswer]
    nextCursor: NotRequired[Cursor]
