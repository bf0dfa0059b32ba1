"""Counting refused calls of keys, at a bounded price. See docs/inbox.md, "Incidents"."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db import DatabaseError, transaction
from django.db.models import F, Max

from messaging.inbox.models import CredentialIncident, Inbox
from workforce import clock
from workforce.services.noticing import KeyRefusal

#: So many refusals of one row are written as they come; after that, together at the next look or second.
EACH = 10
SECONDS = 1.0
#: So many rows a process begins in a minute for keys that somebody has, and for prefixes that nobody has.
KNOWN_ROWS, UNKNOWN_ROWS = 100, 20
#: So many rows are kept at all, the newest.
KEPT = 50_000
#: How long a database that refused a row is left alone.
PAUSE = 60.0

_PATH = "/api/inboxes/"
logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Row:
    """Refusals of one prefix and reason in one minute, as this process counted them."""

    first: KeyRefusal
    seen: int = 0
    unwritten: int = 0


@dataclass(slots=True)
class _Minute:
    at: datetime
    rows: dict[tuple[str, str], _Row] = field(default_factory=dict)
    #: How many rows were begun, for keys that somebody has and for others.
    begun: list[int] = field(default_factory=lambda: [0, 0])


class Counter:
    """What this process has counted in the present minute."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._minute = _Minute(clock.EPOCH)
        self._written_at = 0.0
        self._paused_until = 0.0

    def add(self, refusal: KeyRefusal) -> None:
        """Count one. Writes the first few of a row at once, and more of them once a second; never raises."""
        with self._lock:
            due = self._roll(clock.now().replace(second=0, microsecond=0))
            row = self._row(refusal)
            row.seen += 1
            row.unwritten += 1
            if row.seen <= EACH or time.monotonic() - self._written_at > SECONDS:
                due += self._take()
            begins = row.seen == 1 and len(self._minute.rows) == 1
        self._write(due)
        if begins:
            self._write([], prune=True)

    def flush(self) -> None:
        """Write what is counted and not written yet."""
        with self._lock:
            due = self._take()
        self._write(due)

    def _roll(self, minute: datetime) -> list[tuple[datetime, _Row, int]]:
        if minute == self._minute.at:
            return []
        due = self._take()
        self._minute = _Minute(minute)
        return due

    def _row(self, refusal: KeyRefusal) -> _Row:
        rows, begun = self._minute.rows, self._minute.begun
        key = (refusal.prefix, refusal.reason)
        if key not in rows:
            unknown = refusal.actor_id is None
            if begun[unknown] >= (UNKNOWN_ROWS if unknown else KNOWN_ROWS):
                refusal = KeyRefusal(reason=refusal.reason, path="")
                key = ("", refusal.reason)
            begun[unknown] += 1
        return rows.setdefault(key, _Row(refusal))

    def _take(self) -> list[tuple[datetime, _Row, int]]:
        taken = [(self._minute.at, row, row.unwritten) for row in self._minute.rows.values() if row.unwritten]
        for _, row, _ in taken:
            row.unwritten = 0
        if taken:
            self._written_at = time.monotonic()
        return taken

    def _write(self, due: list[tuple[datetime, _Row, int]], *, prune: bool = False) -> None:
        if not (due or prune) or time.monotonic() < self._paused_until:
            return
        try:
            for minute, row, count in due:
                _count(minute, row.first, count)
            if prune:
                _prune()
        except DatabaseError as error:
            self._paused_until = time.monotonic() + PAUSE
            logger.warning("credential incidents were not written: %s", type(error).__name__)


counter = Counter()


def count_refusal(refusal: KeyRefusal) -> None:
    """Count a call that was refused for its key. Call it outside of a transaction; it never raises."""
    counter.add(refusal)


def write_counted() -> None:
    """Write what this process has counted and not written yet."""
    counter.flush()


def _count(minute: datetime, refusal: KeyRefusal, count: int) -> None:
    same = CredentialIncident.objects.filter(prefix=refusal.prefix, reason=refusal.reason, minute=minute)
    with transaction.atomic():
        if same.update(count=F("count") + count):
            return
        row = CredentialIncident(
            organization_id=refusal.organization_id or _organization_of(refusal.path),
            actor_id=refusal.actor_id,
            prefix=refusal.prefix,
            reason=refusal.reason,
            minute=minute,
        )
        CredentialIncident.objects.bulk_create([row], ignore_conflicts=True)
        same.update(count=F("count") + count)


def _organization_of(path: str) -> int | None:
    """Whose inbox was called with a key that nobody has; None when that is not certain."""
    slug = path.removeprefix(_PATH).partition("/")[0] if path.startswith(_PATH) else ""
    if not slug or len(slug) > 64:
        return None
    owners = list(Inbox.objects.filter(slug=slug).values_list("organization_id", flat=True)[:2])
    return owners[0] if len(owners) == 1 else None


def _prune() -> None:
    newest = CredentialIncident.objects.aggregate(newest=Max("pk"))["newest"]
    if newest is not None and newest > KEPT:
        CredentialIncident.objects.filter(pk__lte=newest - KEPT).delete()
    CredentialIncident.objects.filter(minute__lt=clock.now() - timedelta(days=90)).delete()
