"""Letting go of what is past keeping, and leaving a tombstone. See docs/inbox.md, "Retention"."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet

from messaging.inbox.models import CredentialIncident, Inbox, InboxEvent, Message, Receipt
from workforce import clock

BATCH = 500
#: How often, in seconds, a process that sweeps looks for what is past keeping, and at how many rows at most.
EVERY, AT_ONCE = 86_400.0, 20_000

#: An event of which somebody could still be told by.
_TELLS = ~Q(passname="") | ~Q(key_prefix="") | ~Q(operator="") | Q(actor__isnull=False)


@dataclass(frozen=True, slots=True)
class Retained:
    """What was let go of, or would be; a moment is None when its setting is off."""

    workflow_before: datetime | None
    governance_before: datetime | None
    messages: int = 0
    notes: int = 0
    events: int = 0
    incidents: int = 0

    @property
    def rows(self) -> int:
        """How many rows that is."""
        return self.messages + self.notes + self.events + self.incidents


def retain(*, dry_run: bool = False, at_most: int | None = None) -> Retained:
    """Let go of everything that the two settings say is past keeping, in batches; a second call finds nothing.

    Of a message its content goes, of an event who did it: the rows stay, so numbers and counts stay true. What
    somebody still has open is kept whatever its age. ``at_most`` ends it after about so many rows of each sort.
    """
    now = clock.now()
    workflow = _before(now, settings.RETAIN_WORKFLOW_DAYS)
    governance = _before(now, settings.RETAIN_GOVERNANCE_DAYS)
    messages = notes = events = incidents = 0
    if workflow is not None:
        for keys in _old_messages(workflow):
            messages, notes = messages + len(keys), notes + _bury(keys, now, dry_run)
            if at_most is not None and messages >= at_most:
                break
    if governance is not None:
        for pks in _old_events(governance):
            events += len(pks) if dry_run else _forget(pks)
            if at_most is not None and events >= at_most:
                break
        incidents = _drop_incidents(governance, dry_run)
    return Retained(workflow, governance, messages, notes, events, incidents)


def _before(now: datetime, days: int) -> datetime | None:
    return now - timedelta(days=days) if days else None


def _old_messages(before: datetime) -> Iterator[list[object]]:
    """The keys of the messages that are old, whole, and open for nobody, in batches."""
    for inbox in Inbox.objects.order_by("pk").values_list("pk", flat=True).iterator():
        here = Message.objects.filter(inbox=inbox)
        newest = here.filter(created_at__lt=before).order_by("-created_at").values_list("seq", flat=True)
        last, after = next(iter(newest[:1]), 0), 0
        due = here.filter(removed_at=None, open_receipts=0, created_at__lt=before, seq__lte=last)
        while rows := list(due.filter(seq__gt=after).order_by("seq").values_list("pk", "seq")[:BATCH]):
            after = rows[-1][1]
            yield [pk for pk, _ in rows]


def _bury(keys: list[object], now: datetime, dry_run: bool) -> int:
    """Take the content of the messages, and the notes on their receipts; how many notes."""
    noted = Receipt.objects.filter(message__in=keys).exclude(note="")
    if dry_run:
        return noted.count()
    with transaction.atomic():
        notes = noted.update(note="")
        rows = Message.objects.filter(pk__in=keys, removed_at=None, open_receipts=0)
        rows.update(removed_at=now, payload=None, excerpt="", words="", digest="")
    return notes


def _old_events(before: datetime) -> Iterator[list[int]]:
    """The keys of the events that are old and still tell who did it, in batches."""
    newest = InboxEvent.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    after = 0
    due: QuerySet[InboxEvent] = InboxEvent.objects.filter(_TELLS, at__lt=before, pk__lte=newest)
    while pks := list(due.filter(pk__gt=after).order_by("pk").values_list("pk", flat=True)[:BATCH]):
        after = pks[-1]
        yield pks


def _forget(pks: list[int]) -> int:
    """Let the events stay without who did them, and with which key."""
    return InboxEvent.objects.filter(pk__in=pks).update(actor=None, passname="", key_prefix="", operator="")


def _drop_incidents(before: datetime, dry_run: bool) -> int:
    """Remove the old incidents, which are counts of calls and no part of any inbox's history."""
    old = CredentialIncident.objects.filter(minute__lt=before)
    if dry_run:
        return old.count()
    removed = 0
    while pks := list(old.order_by("pk").values_list("pk", flat=True)[:BATCH]):
        removed += CredentialIncident.objects.filter(pk__in=pks).delete()[0]
    return removed


class _Sweeper:
    """Retains now and then: the sweep comes every few seconds, and nothing gets old so fast."""

    def __init__(self) -> None:
        self._next_at = 0.0

    def __call__(self) -> int:
        """One round, when it is time for one and a setting is on; how many rows it let go of."""
        if not (settings.RETAIN_WORKFLOW_DAYS or settings.RETAIN_GOVERNANCE_DAYS):
            return 0
        if time.monotonic() < self._next_at:
            return 0
        done = retain(at_most=AT_ONCE)
        if max(done.messages, done.events) < AT_ONCE:
            self._next_at = time.monotonic() + EVERY
        return done.rows


sweep_retained = _Sweeper()
