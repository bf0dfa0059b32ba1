"""The sweep: what the broker lost is found again, what is past keeping is removed."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import timedelta

import structlog
from django.db.models import Exists, OuterRef, Q

from workforce import clock
from workforce.dispatch.claim import due
from workforce.dispatch.run import run_queue
from workforce.dispatch.start import nudge
from workforce.models import IdempotencyRecord, Request

BATCH = 500
READS_KEPT = timedelta(hours=24)
ANSWERS_KEPT = timedelta(hours=24)

#: Does one round of an app's own sweeping; returns how many things it did.
Sweep = Callable[[], int]
_SWEEPS: dict[str, Sweep] = {}
log = structlog.get_logger(__name__)


def register_sweep(name: str, sweep: Sweep) -> None:
    """Have another app's sweep run with this one, its count under ``name``. Called from ``AppConfig.ready()``."""
    _SWEEPS[name] = sweep


def run_registered() -> dict[str, int]:
    """Run every registered sweep; the counts of those that did something.

    One that fails costs a warning and stops no other.
    """
    counts = {}
    for name, sweep in _SWEEPS.items():
        try:
            if done := sweep():
                counts[name] = done
        except Exception as error:  # the next round tries again
            log.warning("sweep_failed", sweep=name, reason=f"{type(error).__name__}: {error}"[:200])
    return counts


def list_due() -> list[uuid.UUID]:
    """The oldest requests that somebody should run now; of a serial session only the one whose turn it is."""
    waiting = Request.objects.filter(Request.IS_UNFINISHED, due(clock.now()))
    queue = Request.objects.filter(Request.IS_UNFINISHED, session_id=OuterRef("session_id"), serial=True)
    # As ``head_of_queue`` has it: what was taken is first, whatever its number.
    taken = Q(status=Request.Status.IN_PROGRESS)
    waiting = waiting.filter(
        Q(serial=False) | taken | ~Exists(queue.filter(taken | Q(pk__lt=OuterRef("pk"))))
    )
    return list(waiting.order_by("id").values_list("uid", flat=True)[:BATCH])


def nudge_due() -> int:
    """Send a message for each due request; a second message for one is harmless."""
    uids = list_due()
    for uid in uids:
        nudge(uid)
    return len(uids)


def run_due() -> int:
    """Run the due requests here, until there is none left that this process may run."""
    ran, seen = 0, set[uuid.UUID]()
    while fresh := [uid for uid in list_due() if uid not in seen]:
        seen.update(fresh)
        ran += sum(run_queue(uid) for uid in fresh)
    return ran


def prune() -> int:
    """Remove one batch each of read requests and idempotency records that are past keeping."""
    moment = clock.now()
    reads = Request.objects.filter(reads=True, created_at__lt=moment - READS_KEPT).order_by("created_at")
    answers = IdempotencyRecord.objects.filter(created_at__lt=moment - ANSWERS_KEPT).order_by("created_at")
    removed = 0
    for model, old in ((Request, reads), (IdempotencyRecord, answers)):
        keys = list(old.values_list("pk", flat=True)[:BATCH])
        removed += model._default_manager.filter(pk__in=keys).delete()[0]
    return removed
