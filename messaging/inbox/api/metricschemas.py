"""What the metrics of an inbox answer: closed, in the order in which it is written."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from messaging.inbox.api.schemas import Seq
from workforce.api.schemas.answers import CLOSED, Count
from workforce.kinds.lines import Moment, Uuid

Ms = Annotated[int, Field(ge=0, description="Milliseconds.")]
Rate = Annotated[float, Field(ge=0, le=1, description="Absent when there is nothing to take a share of.")]


class WindowAnswer(TypedDict):
    """Of when the figures of what went through are; ``capped`` when more was sent than was looked at."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    hours: Count
    since: Moment
    messages: Count
    capped: NotRequired[Literal[True]]


class SpreadAnswer(TypedDict):
    """How many there were, and where they lie."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    count: Count
    p50: NotRequired[Count]
    p95: NotRequired[Count]
    largest: NotRequired[Count]


class OldestAnswer(TypedDict):
    """The oldest open request."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: Uuid
    seq: Seq
    topic: str
    sender: str
    createdAt: Moment
    age: Ms


class OpenRequestsAnswer(TypedDict):
    """Requests that their senders did not close and that somebody has open."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    count: Count
    capped: NotRequired[Literal[True]]
    oldest: NotRequired[OldestAnswer]
    serviceTarget: Ms
    pastServiceTarget: Count


class OwingAnswer(TypedDict):
    """What one participant owes."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    passname: str
    state: Literal["active", "frozen", "retired", "left"]
    pending: Count
    delivered: Count
    oldestRequestAt: NotRequired[Moment]
    oldestRequestAge: NotRequired[Ms]


class OpenAnswer(TypedDict):
    """Open receipts."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    open: Count
    pending: Count
    delivered: Count


class SendsAnswer(TypedDict):
    """Sends since the inbox was made: stored, folded by their content, and by their ``Idempotency-Key``."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    messages: Count
    duplicates: Count
    retries: Count
    duplicateRate: NotRequired[Rate]
    retryRate: NotRequired[Rate]


class CodeCount(TypedDict):
    """How often a code occurred."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    code: str
    count: Count


class CodesAnswer(TypedDict):
    """How often, and with which codes, the most frequent first."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    count: Count
    byCode: list[CodeCount]


class ClarificationAnswer(TypedDict):
    """Requests, and those that were answered by a request or message before anybody completed them."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    requests: Count
    clarified: Count
    rate: NotRequired[Rate]


class ApprovalAnswer(SpreadAnswer):
    """How long approvals took, and how many are waited for."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    waiting: Count
    oldestWaitingAge: NotRequired[Ms]


class TopicCount(TypedDict):
    """How many in a topic."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    topic: str
    count: Count


class CompletedAnswer(TypedDict):
    """Requests that somebody completed, each once."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    count: Count
    byTopic: list[TopicCount]


class SizeCount(TypedDict):
    """How many payloads have at most so many bytes, and more than the entry before; null is without end."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    upTo: Count | None
    count: Count


class SizesAnswer(SpreadAnswer):
    """Bytes of payloads."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    distribution: list[SizeCount]


class PerMessageAnswer(SpreadAnswer):
    """Receipts per message."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    mean: NotRequired[float]


class HourCount(TypedDict):
    """How many messages a topic had in the hour that began then."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    hour: Moment
    topic: str
    count: Count


class MetricsAnswer(TypedDict):
    """The figures of an inbox. Times are in milliseconds, sizes in bytes."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    inbox: str
    at: Moment
    receipts: OpenAnswer
    openRequests: OpenRequestsAnswer
    byPassname: list[OwingAnswer]
    leftOut: NotRequired[Count]
    sends: SendsAnswer
    window: WindowAnswer
    creationToDelivery: SpreadAnswer
    deliveryToCompletion: SpreadAnswer
    approvalWait: ApprovalAnswer
    completedRequests: CompletedAnswer
    rejections: CodesAnswer
    clarification: ClarificationAnswer
    threadDepth: SpreadAnswer
    payloadSize: SizesAnswer
    receiptsPerMessage: PerMessageAnswer
    messagesPerHour: list[HourCount]
    incidents: CodesAnswer
