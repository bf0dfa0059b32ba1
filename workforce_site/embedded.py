"""The worker inside the web process: a laptop needs no broker and no second command."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import structlog
from celery.worker import WorkController
from django.conf import settings
from django.db import close_old_connections, reset_queries

from workforce.dispatch import sweep
from workforce.dispatch.heartbeat import HEARTBEAT
from workforce_site.celery import app

#: Seconds that a stop waits for running requests to end.
GRACE = 10.0
log = structlog.get_logger(__name__)


class EmbeddedWorker:
    """A Celery worker on threads of this process, and the sweep beside it."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._controller: Any = WorkController(
            app=app,
            pool_cls="threads",
            concurrency=settings.WORKER_THREADS,
            hostname=f"embedded-{os.getpid()}@{os.uname().nodename}",
            without_heartbeat=True,
            without_mingle=True,
            without_gossip=True,
        )
        self._threads = [
            threading.Thread(target=self._controller.start, name="worker", daemon=True),
            threading.Thread(target=self._sweep, name="sweep", daemon=True),
        ]

    def start(self) -> None:
        """Start both threads; what was pending before is picked up at once."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let running requests end, then stop.

        What is still pending, and what does not end in time, stays a row and is run by the next worker.
        """
        self._stopping.set()
        stopping = threading.Thread(target=self._controller.stop, name="stopping", daemon=True)
        stopping.start()
        deadline = time.monotonic() + GRACE
        for thread in (stopping, *self._threads):
            thread.join(timeout=max(0.1, deadline - time.monotonic()))
        try:
            given_up = HEARTBEAT.release_all()
        except Exception as error:  # the leases lapse
            log.warning("release_failed", reason=f"{type(error).__name__}: {error}"[:200])
            return
        if given_up:
            log.info("runs_given_up", count=given_up)

    def _sweep(self) -> None:
        while True:
            try:
                sweep.nudge_due()
                sweep.prune()
                sweep.run_registered()
            except (
                Exception
            ) as error:  # the next turn tries again; a dead sweep would lose what it is there for
                log.warning("sweep_failed", reason=f"{type(error).__name__}: {error}"[:200])
            reset_queries()  # remembered where DEBUG is on
            close_old_connections()
            if self._stopping.wait(settings.DISPATCH_SWEEP_SECONDS):
                return
