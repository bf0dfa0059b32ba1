"""What the Celery application does around each task."""

from __future__ import annotations

import pytest
from celery.fixups.django import DjangoWorkerFixup
from celery.signals import task_prerun
from django.db import connections

from workforce import tasks
from workforce.models import Request
from workforce_site import celery


@pytest.mark.django_db
def test_task__begins_without_the_statements_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where DEBUG is on they are remembered, with every text that they wrote: a worker would grow with each post."""
    connection = connections["default"]
    monkeypatch.setattr(connection, "force_debug_cursor", True)
    Request.objects.count()
    assert connection.queries_log
    task_prerun.send(sender=tasks.run_request)
    assert not connection.queries_log


def test_task__leaves_the_connection_to_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Celery's own would close it before and after each task, and every task would open one."""
    fixup = DjangoWorkerFixup(celery.app)
    closed: list[bool] = []
    monkeypatch.setattr(fixup, "_close_database", lambda: closed.append(True))
    for _ in range(5):
        fixup.close_database()
    assert not closed


@pytest.mark.django_db(transaction=True)
def test_task__does_not_use_a_connection_that_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = connections["default"]
    Request.objects.count()
    task_prerun.send(sender=tasks.run_request)
    assert connection.connection is not None
    old = []
    monkeypatch.setattr(connection, "close", lambda: old.append(True))
    monkeypatch.setattr(connection, "close_at", 0)
    task_prerun.send(sender=tasks.run_request)
    assert old
