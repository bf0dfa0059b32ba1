"""What is open for one actor: the inbound view."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from messaging.inbox.hands import Hand
from messaging.inbox.models import Message, Receipt
from workforce.models import Actor
from workforce.sql.reading import Statement, locking
from workforce.sql.writing import marks

#: What a preview needs, in the order of ``Item``.
_COLUMNS = (
    *("pk", "message_id", "seq", "type", "topic", "sender__passname", "state", "created_at", "delivered_at"),
    *("message__replying_to_id", "message__thread_id", "message__excerpt", "message__payload_size"),
    *("message__approval", "message__closed_at", "message__removed_at"),
)
_OPEN = Statement(
    [
        (
            Receipt,
            "receipt",
            ("id", "message_id", "seq", "type", "topic", "state", "created_at", "delivered_at"),
        ),
        (
            Message,
            "message",
            (
                *("replying_to_id", "thread_id", "excerpt", "payload_size", "approval"),
                *("closed_at", "removed_at"),
            ),
        ),
        (Actor, "sender", ("passname",)),
    ],
    "FROM messaging_receipt receipt JOIN messaging_message message ON message.id = receipt.message_id "
    "JOIN workforce_actor sender ON sender.id = receipt.sender_id "
    "WHERE receipt.recipient_id = %s AND receipt.inbox_id = %s AND receipt.closed_at IS NULL",
)
#: The same by the names of the statement.
_NAMES = (
    *("receipt.id", "receipt.message_id", "receipt.seq", "receipt.type", "receipt.topic", "sender.passname"),
    *("receipt.state", "receipt.created_at", "receipt.delivered_at", "message.replying_to_id"),
    *("message.thread_id", "message.excerpt", "message.payload_size", "message.approval"),
    *("message.closed_at", "message.removed_at"),
)
#: What a page begins after, and its order, by whether it is ascending.
_AFTER = {
    True: (" AND receipt.seq > %s", " ORDER BY receipt.seq"),
    False: (" AND receipt.seq < %s", " ORDER BY receipt.seq DESC"),
}
_STATES = Statement(
    [(Receipt, "receipt", ("id", "state", "delivered_at"))],
    "FROM messaging_receipt receipt WHERE receipt.recipient_id = %s AND receipt.closed_at IS NULL AND receipt.id IN ",
)
#: A number beyond every message's.
BEYOND = 2**62


def _unfiltered(rows: QuerySet[Receipt]) -> QuerySet[Receipt]:
    return rows


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which of the open items, how many, in which order, from where on, in how many characters."""

    limit: int
    ascending: bool = True
    after: int | None = None
    budget: int | None = None
    narrow: Callable[[QuerySet[Receipt]], QuerySet[Receipt]] = field(default=_unfiltered)

    @property
    def start(self) -> int:
        """Where this page starts, as a number of a message before it."""
        if self.after is not None:
            return self.after
        return 0 if self.ascending else BEYOND


@dataclass(slots=True)
class Item:
    """An open receipt with what a preview shows: the rows themselves would cost as much as the query."""

    pk: int
    message_id: UUID
    seq: int
    type: str
    topic: str
    sender: str
    state: str
    created_at: datetime
    delivered_at: datetime | None
    replying_to_id: UUID | None
    thread_id: UUID
    excerpt: str
    payload_size: int
    approval: bool
    closed_at: datetime | None
    removed_at: datetime | None


def open_receipts(hand: Hand) -> QuerySet[Receipt]:
    """The actor's open receipts in the inbox."""
    return Receipt.objects.filter(Receipt.IS_OPEN, recipient=hand.actor, inbox=hand.inbox)


def read_queue(hand: Hand, wanted: Wanted) -> tuple[list[Item], bool]:
    """The open receipts of a page with all that previews need, and whether there are more."""
    found = _page(hand, wanted) if wanted.narrow is _unfiltered else _narrowed(hand, wanted)
    return found[: wanted.limit], len(found) > wanted.limit


def _page(hand: Hand, wanted: Wanted) -> list[Item]:
    """The page of a queue as most ask for it: without a filter."""
    after, order = _AFTER[wanted.ascending]
    params: list[Any] = [hand.actor.pk, hand.inbox.pk]
    if wanted.after is not None:
        params.append(wanted.after)
    more = f"{after if wanted.after is not None else ''}{order} LIMIT {wanted.limit + 1:d}"
    return [Item(*(row[name] for name in _NAMES)) for row in _OPEN.values(params, more=more)]


def _narrowed(hand: Hand, wanted: Wanted) -> list[Item]:
    rows = wanted.narrow(open_receipts(hand))
    if wanted.after is not None:
        rows = rows.filter(seq__gt=wanted.after) if wanted.ascending else rows.filter(seq__lt=wanted.after)
    rows = rows.order_by("seq" if wanted.ascending else "-seq")
    return [Item(*row) for row in rows.values_list(*_COLUMNS)[: wanted.limit + 1]]


def lock_receipts(hand: Hand, items: Iterable[Item]) -> dict[int, tuple[str, datetime | None]]:
    """The state and delivery of those of the receipts that are open for the actor, by key; nobody else moves them
    until the transaction ends. What was handed over since it was read is not among them.

    Locked in the order of their numbers, as everybody does.
    """
    keys = [item.pk for item in items]
    if not keys:
        return {}
    more = f"({marks(keys)}) ORDER BY receipt.seq{locking('NO KEY UPDATE')}"
    rows = _STATES.values([hand.actor.pk, *keys], more=more)
    return {row["receipt.id"]: (row["receipt.state"], row["receipt.delivered_at"]) for row in rows}
