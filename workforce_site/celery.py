"""The Celery application: ``celery -A workforce_site worker``, or the worker inside ``manage.py serve``."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import task_prerun, worker_process_shutdown, worker_ready, worker_shutdown

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workforce_site.settings")

app = Celery("workforce")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_ready.connect
def sweep_at_start(**kwargs: Any) -> None:
    """What was pending while no worker ran, or was lost with a broker's queue, is picked up at once."""
    app.send_task("workforce.sweep", retry=False)


@task_prerun.connect
def forget_queries(**kwargs: Any) -> None:
    """Where DEBUG is on, Django remembers thousands of statements of a thread, with all that they wrote."""
    from django.db import reset_queries

    reset_queries()


@worker_shutdown.connect
@worker_process_shutdown.connect
def give_up_runs(**kwargs: Any) -> None:
    """What a stop does not let end is the next worker's at once, and counts as no death."""
    from workforce.dispatch.heartbeat import HEARTBEAT
    from workforce.dispatch.sending import SENDER

    HEARTBEAT.release_all()
    SENDER.flush()  # a process of a pool ends without a word
