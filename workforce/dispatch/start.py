"""Nudging a worker once what it should run is committed."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterable
from functools import partial

import structlog
from celery import current_app
from django.db import transaction

from workforce.models import Request

RUN_REQUEST = "workforce.run_request"
#: How long no message is sent after one failed.
AWAY_SECONDS = 10.0
_away_until = 0.0
log = structlog.get_logger(__name__)


def nudge_on_commit(requests: Iterable[Request]) -> None:
    """Tell a worker about each pending request after the current transaction has committed."""
    for request in requests:
        if request.status == Request.Status.PENDING:
            transaction.on_commit(partial(nudge, request.uid))


def nudge(uid: uuid.UUID) -> None:
    """Send one message. A broker that is away costs a warning: the row is there, and the sweep finds it.

    After a failure nothing is sent for a while, so that callers do not wait for a broker that is away.
    """
    global _away_until
    if time.monotonic() < _away_until:
        return
    try:
        current_app.send_task(RUN_REQUEST, args=[str(uid)], retry=False)
    except Exception as error:
        _away_until = time.monotonic() + AWAY_SECONDS
        log.warning("nudge_failed", request=str(uid), reason=str(error)[:200])
