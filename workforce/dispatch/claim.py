"""Claiming a request to run it: decided by the database, for a limited time."""

from __future__ import annotations

import secrets
import uuid
from contextlib import nullcontext
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, Q

from workforce import clock
from workforce.dispatch.rows import head_of_queue, lock_session, take
from workforce.dispatch.start import start_next
from workforce.models import Request

#: How many workers may die under one request before it is given up.
MAX_ATTEMPTS = 3

ABANDONED = {
    "code": "abandoned",
    "message": f"{MAX_ATTEMPTS} runs of this ended without a word: their workers died, or had no database for long; "
    "look at the workers' log, then retry",
    "status": 500,
}


def lease() -> timedelta:
    """How long a run may stay silent before another worker may take its request."""
    return timedelta(seconds=settings.DISPATCH_LEASE_SECONDS)


def due(moment: datetime) -> Q:
    """Requests that somebody should run: pending, or in progress with a lapsed lease."""
    return Q(status=Request.Status.PENDING) | Q(status=Request.Status.IN_PROGRESS, lease_until__lt=moment)


def claim(uid: uuid.UUID) -> Request | None:
    """Take the request for this worker, or return None when it is not to be run now.

    None means: it ended, somebody runs it, an earlier serial request of its session is not done yet (its
    end starts this one), or its workers died too often (it is then failed with ``abandoned``).
    """
    moment = clock.now()
    with nullcontext() if connection.vendor == "postgresql" else transaction.atomic():
        request = take(
            uid,
            claimed_by=secrets.token_hex(16),
            lease_until=moment + lease(),
            moment=moment,
            attempts=MAX_ATTEMPTS,
        )
    if request is None:
        _give_up_dead(uid)
    return request


def _give_up_dead(uid: uuid.UUID) -> None:
    """End the request when it is due and its turn, but was tried too often; its session's next one is started."""
    moment = clock.now()
    dead = Request.objects.filter(due(moment), uid=uid, attempts__gte=MAX_ATTEMPTS).first()
    if dead is None:
        return
    with transaction.atomic():
        if dead.serial:
            lock_session(dead.session_id)
            if head_of_queue(dead.session_id) != dead.pk:
                return
            transaction.on_commit(partial(start_next, dead.session_id))
        mine = Request.objects.filter(due(moment), pk=dead.pk, attempts=dead.attempts)
        mine.update(status=Request.Status.FAILED, error=ABANDONED, ended_at=moment)


def give_back(claimed: Request) -> bool:
    """Leave the run to the next worker, at once and without counting a death.

    False when it is not the claim's any more.
    """
    mine = Request.objects.filter(
        pk=claimed.pk, claimed_by=claimed.claimed_by, status=Request.Status.IN_PROGRESS
    )
    free = {"status": Request.Status.PENDING, "claimed_by": "", "lease_until": None}
    return bool(mine.update(**free, attempts=F("attempts") - 1))
