"""Pulling: reading one's queue, and being known to have. See docs/inbox.md, "The two views"."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Q

from messaging.inbox.budgets import fitting
from messaging.inbox.hands import Hand
from messaging.inbox.models import InboxEvent, Participation, Receipt
from messaging.inbox.receipts import State
from messaging.inbox.selectors.queue import Item, Wanted, lock_receipts, read_queue
from messaging.inbox.services.recording import recorded_moves
from messaging.inbox.shapes import frame_shape, preview_shape
from workforce import clock
from workforce.sql.writing import adapted, marks, write_together

_DELIVER = (
    "UPDATE messaging_receipt SET state = 'delivered', delivered_at = %s WHERE state = 'pending' AND id IN "
)
_COUNT = (
    "UPDATE messaging_participation SET pending = pending - %s, delivered = delivered + %s, last_pulled_at = %s "
    "WHERE id = %s RETURNING pending, delivered"
)
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
    receipts, has_more = read_queue(hand, wanted)
    if all(receipt.state != State.PENDING for receipt in receipts):
        _touch(hand.place, now)
        return _page(hand, wanted, receipts, _fitting(hand, wanted, receipts), has_more)
    with transaction.atomic():
        receipts = _still_open(hand, receipts)
        fresh = {receipt.pk for receipt in receipts if receipt.state == State.PENDING}
        for receipt in receipts:
            if receipt.pk in fresh:
                receipt.state, receipt.delivered_at = State.DELIVERED, now
        kept = _fitting(hand, wanted, receipts)
        _deliver(hand, [receipt for receipt in receipts[:kept] if receipt.pk in fresh], now)
    return _page(hand, wanted, receipts, kept, has_more)


def _still_open(hand: Hand, receipts: list[Item]) -> list[Item]:
    """Those that were read, without what was closed since; the pending ones locked, as they are now."""
    states = lock_receipts(hand, (receipt for receipt in receipts if receipt.state == State.PENDING))
    found = []
    for receipt in receipts:
        if receipt.state == State.PENDING:
            if receipt.pk not in states:
                continue
            receipt.state, receipt.delivered_at = states[receipt.pk]
        found.append(receipt)
    return found


def _deliver(hand: Hand, receipts: list[Item], now: datetime) -> None:
    """Write what was just read for the first time. The receipts are locked, in the order of their numbers."""
    place = hand.place
    if not receipts:
        _touch(place, now)
        return
    keys = [receipt.pk for receipt in receipts]
    moment = adapted(Receipt, "delivered_at", now)
    events = recorded_moves(
        hand=hand,
        kind=InboxEvent.Kind.DELIVERED,
        to=State.DELIVERED,
        moves=[(receipt.message_id, State.PENDING.value) for receipt in receipts],
    )
    moved, *_ = write_together([(f"{_DELIVER}({marks(keys)})", [moment, *keys]), *events])
    assert moved == len(keys), "a locked receipt has moved"
    place.pending, place.delivered = _count(place, moved, moment)


def _count(place: Participation, moved: int, moment: Any) -> tuple[int, int]:
    """Count what was delivered; the counts as they are then."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [moved, moved, moment, place.pk])
        pending, delivered = cursor.fetchone()
    return pending, delivered


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
