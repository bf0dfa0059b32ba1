"""The pages of the lists."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from workforce.api.schemas.answers import (
    CLOSED,
    ChildAnswer,
    Count,
    Cursor,
    FlowAnswer,
    InventoryMailboxRow,
    InventoryMemberRow,
    InventorySeatRow,
    LineItem,
    OtherItem,
    RequestAnswer,
    SessionAnswer,
    WorkerAnswer,
)


class FlowList(TypedDict):
    """Every kind; not paged."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[FlowAnswer]


class SessionPage(TypedDict):
    """Sessions, newest updated first."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[SessionAnswer]
    nextCursor: NotRequired[Cursor]


class ItemPage(TypedDict):
    """Items in order."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[LineItem | OtherItem]
    nextCursor: NotRequired[Cursor]
    lastSeq: Count


class RequestPage(TypedDict):
    """Requests, newest first."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[RequestAnswer]
    nextCursor: NotRequired[Cursor]


class ChildPage(TypedDict):
    """Conversations below a session, newest first."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[ChildAnswer]
    nextCursor: NotRequired[Cursor]


class WorkerPage(TypedDict):
    """Workers, newest first."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[WorkerAnswer]
    nextCursor: NotRequired[Cursor]


class InventorySeatPage(TypedDict):
    """Seats of the inventory."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[InventorySeatRow]
    nextCursor: NotRequired[Cursor]


class InventoryMailboxPage(TypedDict):
    """Mailboxes of the inventory."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[InventoryMailboxRow]
    nextCursor: NotRequired[Cursor]


class InventoryMemberPage(TypedDict):
    """Memberships of the inventory."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[InventoryMemberRow]
    nextCursor: NotRequired[Cursor]
