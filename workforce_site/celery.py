"""The Celery application: ``celery -A workforce_site worker``, or the worker inside ``manage.py serve``."""

from __future__ import annotations

import os
import sys
from typing import Any

from celery import Celery
from celery.signals import task_postrun, task_prerun, worker_process_shutdown, worker_ready, worker_shutdown

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workforce_site.settings")

app = Celery("workforce")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
# Celery would close the database's connection before and after every task; to open one costs more than most tasks.
app.conf["CELERY_DB_REUSE_MAX"] = sys.maxsize


@worker_ready.connect
def sweep_at_start(**kwargs: Any) -> None:
    """What was pending while no worker ran, or was lost with a broker's queue, is picked up at once."""
    app.send_task("workforce.sweep", retry=False)


@task_prerun.connect
def forget_queries(**kwargs: Any) -> None:
    """Where DEBUG is on, Django remembers thousands of statements of a thread, with all that they wrote."""
    from django.db import reset_queries

    reset_queries()


@task_prerun.connect
@task_postrun.connect
def close_old(**kwargs: Any) -> None:
    """A connection that broke or is too old is not used again; another one stays open for the next task."""
    from django.db import close_old_connections, connection

    if not connection.in_atomic_block:  # a task that is called in place
        close_old_connections()


@worker_shutdown.connect
@worker_process_shutdown.connect
def give_up_runs(**kwargs: Any) -> None:
    """What a stop does not let end is the next worker's at once, and counts as no death."""
    from workforce.dispatch.heartbeat import HEARTBEAT
    from workforce.dispatch.sending import SENDER

    HEARTBEAT.release_all()
    SENDER.flush()  # a process of a pool ends without a word
