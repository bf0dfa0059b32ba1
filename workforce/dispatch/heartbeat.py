"""Renewing the leases of this process's runs, by one thread however many there are. See docs/dispatch.md."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import structlog
from django.db import DatabaseError, close_old_connections, connections

from workforce import clock
from workforce.dispatch.claim import give_back, lease
from workforce.models import Request

log = structlog.get_logger(__name__)


@dataclass(eq=False, slots=True)
class Held:
    """A run of this process, and what is renewed with it."""

    request: Request
    #: Set when another worker has the request, or it has ended.
    lost: threading.Event = field(default_factory=threading.Event)
    renewals: list[Callable[[], None]] = field(default_factory=list)


class Heartbeat:
    """The runs that this process holds, and the thread that renews them while there is one."""

    def __init__(self) -> None:
        self._held: set[Held] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._every = 0.0
        self._changed = threading.Event()

    @contextmanager
    def holding(self, request: Request) -> Iterator[Held]:
        """Renew the run's lease for the length of the block."""
        held = Held(request)
        with self._lock:
            self._held.add(held)
            if self._thread is None:
                self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
                self._thread.start()
            elif _beat_seconds() < self._every:
                self._changed.set()  # it sleeps for longer than this lease may stay silent
        try:
            yield held
        finally:
            with self._lock:
                self._held.discard(held)  # the thread finds nothing left at its next beat, and ends

    def release_all(self) -> int:
        """Give up what runs now, so that the next worker takes it at once and it counts as no death."""
        with self._lock:
            held = list(self._held)
        released = 0
        for run in held:
            run.lost.set()
            released += give_back(run.request)
        return released

    def _beat(self) -> None:
        try:
            while self._is_needed():
                self._every = _beat_seconds()
                self._changed.wait(self._every)
                self._changed.clear()
                with self._lock:
                    held = list(self._held)
                if held:
                    close_old_connections()
                for run in held:
                    _renew(run)
        finally:
            connections.close_all()

    def _is_needed(self) -> bool:
        with self._lock:
            if not self._held:
                self._thread = None
            return bool(self._held)


def _beat_seconds() -> float:
    return lease().total_seconds() / 4


def _renew(run: Held) -> None:
    """One run's beat. A database that is away is met again at the next one; the lease outlasts three."""
    try:
        renewed = Request.objects.filter(pk__in=_still_mine(run.request)).update(
            lease_until=clock.now() + lease()
        )
        if not renewed:
            run.lost.set()
            return
        for renew in list(run.renewals):
            renew()
    except DatabaseError as error:
        log.warning("renewal_failed", request=str(run.request.uid), reason=type(error).__name__)
    except Exception:  # one run's renewal must not cost the others theirs
        log.exception("renewal_failed", request=str(run.request.uid))


def _still_mine(request: Request) -> list[int]:
    rows = Request.objects.filter(
        pk=request.pk, claimed_by=request.claimed_by, status=Request.Status.IN_PROGRESS
    )
    return list(rows.values_list("pk", flat=True))


HEARTBEAT = Heartbeat()
