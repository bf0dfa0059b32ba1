"""Pulling: reading one's queue, and being known to have. See docs/inbox.md, "The two views"."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F, Q

from messaging.inbox.budgets import fitting
from messaging.inbox.hands import Hand
from messaging.inbox.models import InboxEvent, Participation, Receipt
from messaging.inbox.receipts import State
from messaging.inbox.selectors.queue import Item, Wanted, read_queue
from messaging.inbox.services.recording import record_moves
from messaging.inbox.shapes import frame_shape, preview_shape
from workforce import clock

#: How old ``last_pulled_at`` may be while pulls find nothing new.
TOUCHED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a queue: previews, where the next one starts, and how many of this one a budget left out."""

    frame: dict[str, Any]
    items: list[dict[str, Any]]
    #: The number of the last item before the next page; None on the last page.
    ends_at: int | None
    left_out: int = 0


def look_at_queue(*, hand: Hand, wanted: Wanted) -> Page:
    """A page of the actor's open items. Changes nothing."""
    receipts, has_more = read_queue(hand, wanted)
    kept = _fitting(hand, wanted, receipts)
    return _page(hand, wanted, receipts, kept, has_more)


def pull_queue(*, hand: Hand, wanted: Wanted) -> Page:
    """The same page, its pending items marked as delivered: those that are answered, and no others."""
    now = clock.now()
    if not hand.place.pending:
        receipts, has_more = read_queue(hand, wanted)
        if all(receipt.state != State.PENDING for receipt in receipts):
            _touch(hand.place, now)
            return _page(hand, wanted, receipts, _fitting(hand, wanted, receipts), has_more)
    with transaction.atomic():
        receipts, has_more = read_queue(hand, wanted, lock=True)
        fresh = {receipt.pk for receipt in receipts if receipt.state == State.PENDING}
        for receipt in receipts:
            if receipt.pk in fresh:
                receipt.state, receipt.delivered_at = State.DELIVERED, now
        kept = _fitting(hand, wanted, receipts)
        _deliver(hand, [receipt for receipt in receipts[:kept] if receipt.pk in fresh], now)
    return _page(hand, wanted, receipts, kept, has_more)


def _deliver(hand: Hand, receipts: list[Item], now: datetime) -> None:
    """Write what was just read for the first time. The receipts are locked, in the order of their numbers."""
    place = hand.place
    if not receipts:
        _touch(place, now)
        return
    keys = [receipt.pk for receipt in receipts]
    moved = Receipt.objects.filter(pk__in=keys, state=State.PENDING).update(
        state=State.DELIVERED, delivered_at=now
    )
    assert moved == len(keys), "a locked receipt has moved"
    Participation.objects.filter(pk=place.pk).update(
        pending=F("pending") - moved, delivered=F("delivered") + moved, last_pulled_at=now
    )
    place.refresh_from_db(fields=["pending", "delivered"])
    record_moves(
        hand=hand,
        kind=InboxEvent.Kind.DELIVERED,
        to=State.DELIVERED,
        moves=[(receipt.message_id, State.PENDING.value) for receipt in receipts],
    )


def _touch(place: Participation, now: datetime) -> None:
    """Write that the actor looked, at most once a minute."""
    due = now - TOUCHED_EVERY
    if place.last_pulled_at is None or place.last_pulled_at < due:
        is_due = Q(last_pulled_at=None) | Q(last_pulled_at__lt=due)
        Participation.objects.filter(is_due, pk=place.pk).update(last_pulled_at=now)


def _fitting(hand: Hand, wanted: Wanted, receipts: list[Item]) -> int:
    if wanted.budget is None:
        return len(receipts)
    return fitting(frame_shape(hand), [preview_shape(receipt) for receipt in receipts], wanted.budget)


def _page(hand: Hand, wanted: Wanted, receipts: list[Item], kept: int, has_more: bool) -> Page:
    ends_at = None
    if has_more or kept < len(receipts):
        ends_at = receipts[kept - 1].seq if kept else wanted.start
    return Page(
        frame=frame_shape(hand),
        items=[preview_shape(receipt) for receipt in receipts[:kept]],
        ends_at=ends_at,
        left_out=len(receipts) - kept,
    )
