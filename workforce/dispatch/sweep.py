"""The sweep: what the broker lost is found again, what is past keeping is removed."""

from __future__ import annotations

import uuid
from datetime import timedelta

from workforce import clock
from workforce.dispatch.claim import due
from workforce.dispatch.run import try_run
from workforce.dispatch.start import nudge
from workforce.models import IdempotencyRecord, Request

BATCH = 500
READS_KEPT = timedelta(hours=24)
ANSWERS_KEPT = timedelta(hours=24)


def list_due() -> list[uuid.UUID]:
    """The oldest requests that somebody should run now."""
    waiting = Request.objects.filter(Request.IS_UNFINISHED, due(clock.now()))
    return list(waiting.order_by("id").values_list("uid", flat=True)[:BATCH])


def nudge_due() -> int:
    """Send a message for each due request; a second message for one is harmless."""
    uids = list_due()
    for uid in uids:
        nudge(uid)
    return len(uids)


def run_due() -> int:
    """Run the due requests here, until there is none left that this process may run."""
    ran = 0
    while True:
        now_ran = sum(try_run(uid) for uid in list_due())
        if not now_ran:
            return ran
        ran += now_ran


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
