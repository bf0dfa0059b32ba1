"""What is open for one actor: the inbound view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from messaging.inbox.hands import Hand
from messaging.inbox.models import Receipt

#: What a preview needs, in the order of ``Item``.
_COLUMNS = (
    *("pk", "message_id", "seq", "type", "topic", "sender__passname", "state", "created_at", "delivered_at"),
    *("message__replying_to_id", "message__thread_id", "message__excerpt", "message__payload_size"),
    *("message__approval", "message__closed_at", "message__removed_at"),
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


def read_queue(hand: Hand, wanted: Wanted, *, lock: bool = False) -> tuple[list[Item], bool]:
    """The open receipts of a page with all that previews need, and whether there are more.

    ``lock`` locks them in the order of their numbers, whatever the page's order, as everybody does.
    """
    rows = wanted.narrow(open_receipts(hand))
    if wanted.after is not None:
        rows = rows.filter(seq__gt=wanted.after) if wanted.ascending else rows.filter(seq__lt=wanted.after)
    rows = rows.order_by("seq" if wanted.ascending else "-seq")
    if lock:
        rows = _locked(hand, rows, wanted)
    found = [Item(*row) for row in rows.values_list(*_COLUMNS)[: wanted.limit + 1]]
    return found[: wanted.limit], len(found) > wanted.limit


def _locked(hand: Hand, rows: QuerySet[Receipt], wanted: Wanted) -> QuerySet[Receipt]:
    """The rows of the page, which nobody else moves until the transaction ends."""
    keys = list(rows.values_list("pk", flat=True)[: wanted.limit + 1])
    mine = open_receipts(hand).filter(pk__in=keys)
    list(mine.select_for_update(no_key=True).order_by("seq").values_list("pk", flat=True))
    return mine.order_by("seq" if wanted.ascending else "-seq")
