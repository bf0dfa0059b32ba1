"""What the calls answer: closed, so that an answer outside of the document is told by a test."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

from workforce.kinds.lines import Line, Moment, Uuid
from workforce.models import Request

CLOSED = ConfigDict(extra="forbid")
Cursor = Annotated[str, Field(pattern="^[A-Za-z0-9_-]+$", description="Absent on the last page.")]
Count = Annotated[int, Field(ge=0)]
Status = Annotated[str, Field(json_schema_extra={"enum": list(Request.Status.values)})]
Source = Annotated[str, Field(json_schema_extra={"enum": list(Request.Source.values)})]
Anything = Annotated[Any, Field(description="Any JSON, unchanged.")]


class SessionAnswer(TypedDict):
    """A session; of its state only what the kind shows."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: str
    flowKind: str
    userId: str
    parentId: str | None
    seatId: str | None
    title: str
    description: str
    tags: list[str]
    metadata: dict[str, Any]
    state: dict[str, Any]
    lastSeq: Annotated[int, Field(ge=0, description="The number of its newest item; 0 when it has none.")]
    createdAt: Moment
    updatedAt: Moment


class FailureAnswer(TypedDict):
    """Why a request failed, with the refusal's own further members."""

    __pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[misc]

    code: str
    message: str


class TokensAnswer(TypedDict):
    """What the models of a run consumed."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    input: Count
    output: Count


class RequestAnswer(TypedDict):
    """A request as lists show it."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: Uuid
    action: str
    status: Status
    source: Source
    flowKind: str
    sessionId: str
    passname: NotRequired[Annotated[str, Field(description="Whose key called; there when it was a key.")]]
    error: NotRequired[FailureAnswer]
    attempts: Count
    createdAt: Moment
    startedAt: Moment | None
    endedAt: Moment | None
    parentId: Uuid | None
    chainId: Uuid | None
    retryOf: Uuid | None
    tokens: TokensAnswer


class WholeRequestAnswer(RequestAnswer):
    """A request with its input and output."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    input: Anything
    output: Anything
    metadata: dict[str, Any]


class LineItem(TypedDict):
    """A transcript line among a session's items."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: Uuid
    seq: Annotated[int, Field(ge=1)]
    type: Literal["component"]
    component: Literal["mailbox-post"]
    requestId: Uuid
    at: Moment
    data: Line


class OtherItem(TypedDict):
    """Anything else that a session shows."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: Uuid
    seq: Annotated[int, Field(ge=1)]
    type: Literal["message", "tool_output", "error", "component"]
    component: NotRequired[Annotated[str, Field(json_schema_extra={"not": {"const": "mailbox-post"}})]]
    requestId: Uuid
    at: Moment
    data: Anything


class ChildAnswer(TypedDict):
    """A conversation below a session."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: str
    flowKind: str
    seatId: str | None
    topic: str
    createdAt: Moment
    updatedAt: Moment
    status: NotRequired[
        Annotated[
            Literal["active", "completed", "failed", "aborted"],
            Field(description="`active`, or the last ending; absent when nothing ran."),
        ]
    ]


class WorkerAnswer(TypedDict):
    """A worker of the roster."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: str
    flowKind: str
    owner: Literal["organization", "user"]
    description: str
    hiredAt: Moment


class InventorySeatRow(TypedDict):
    """A seat that was hired here."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: str
    kind: str
    hired: Moment


class InventoryMailboxRow(TypedDict):
    """A mailbox that was opened here."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: str
    kind: str
    members: list[str]
    openedAt: Moment


class InventoryMemberRow(TypedDict):
    """A seat's place in a mailbox."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    seat: str
    mailbox: str


class FlowAction(TypedDict):
    """A public action with the JSON schema of its input."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    name: str
    description: str
    mode: Literal["data", "background"]
    reads: bool
    inputSchema: dict[str, Any]


class FlowAnswer(TypedDict):
    """A kind with its public actions."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    kind: str
    description: str
    actions: list[FlowAction]


class CalledRequest(TypedDict):
    """The request that an action call made."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: Uuid
    flowKind: str
    flowId: str
    actionName: str
    status: Status


class CalledSession(TypedDict):
    """Where an action runs."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: str


class ActionAccepted(TypedDict):
    """An action that is done or will run; its output is not part of it."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    status: Status
    request: CalledRequest
    session: CalledSession


class ActionDone(ActionAccepted):
    """An action that is done, with its output."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    output: Anything


class RetriedRequest(CalledRequest):
    """The new request of a retry."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    retryOf: Uuid


class RetryAccepted(TypedDict):
    """A retry: a new request with the old input."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    status: Status
    request: RetriedRequest
    session: CalledSession
