"""What the calls that set inboxes and actors up answer: closed, in the order in which it is written."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from messaging.inbox.api.schemas import TypeWord
from workforce.api.schemas.answers import CLOSED, Anything, Count, Cursor
from workforce.kinds.lines import Moment


class InboxAnswer(TypedDict):
    """An inbox."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    slug: str
    duplicateWindow: Count
    totalMessages: Count
    newestSeq: Count
    createdAt: Moment


class InboxPage(TypedDict):
    """Inboxes by slug."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[InboxAnswer]
    nextCursor: NotRequired[Cursor]


class ParticipantAnswer(TypedDict):
    """An actor's place in an inbox."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    passname: str
    displayName: str
    kind: Literal["agent", "person"]
    state: Literal["active", "frozen", "retired", "left"]
    joinedAt: Moment
    leftAt: NotRequired[Moment]
    lastPulledAt: Moment | None
    open: Annotated[int, Field(ge=0, description="How many receipts it owes.")]


class ParticipantPage(TypedDict):
    """Who takes part, and who did, by passname."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[ParticipantAnswer]
    nextCursor: NotRequired[Cursor]


class SchemaAnswer(TypedDict):
    """What the payloads of a type and topic must fit."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    type: TypeWord
    topic: str
    schema: Anything
    updatedAt: Moment


class SchemaList(TypedDict):
    """Every schema of an inbox; not paged."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[SchemaAnswer]


class ActorAnswer(TypedDict):
    """An actor of the organization."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    passname: str
    displayName: str
    kind: Literal["agent", "person"]
    state: Literal["active", "frozen", "retired"]
    user: str
    inboxes: Annotated[list[str], Field(description="Where it takes part.")]
    createdAt: Moment


class ActorPage(TypedDict):
    """Actors by passname."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[ActorAnswer]
    nextCursor: NotRequired[Cursor]


class KeyAnswer(TypedDict):
    """A new key; its text is shown this once."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    passname: str
    key: Annotated[str, Field(description="Kept nowhere; show it to nobody else.")]
    prefix: str
    inbox: str | None
    scope: Literal["read", "write"] | None
    grants: list[str]


class RevokedKeyAnswer(TypedDict):
    """A key that counts no more."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    prefix: str
    passname: str
    revokedAt: Moment
