"""What a Celery worker runs. Each task re-reads its row, so it is safe to run twice."""

from __future__ import annotations

import uuid

from celery import shared_task

from workforce.dispatch import start, sweep
from workforce.dispatch.run import run_queue


@shared_task(name=start.RUN_REQUEST)
def run_request(uid: str) -> bool:
    """Run one request, if it is still to be run."""
    return run_queue(uuid.UUID(uid)) > 0


@shared_task(name="workforce.sweep")
def sweep_requests() -> dict[str, int]:
    """Nudge what is due, prune what is past keeping, and sweep what other apps registered."""
    return {"nudged": sweep.nudge_due(), "pruned": sweep.prune(), **sweep.run_registered()}
