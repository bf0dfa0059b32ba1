"""What the Celery application does around each task."""

from __future__ import annotations

import pytest
from celery.signals import task_prerun
from django.db import connections

from workforce import tasks
from workforce.models import Request
from workforce_site import celery  # noqa: F401


@pytest.mark.django_db
def test_task__begins_without_the_statements_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where DEBUG is on they are remembered, with every text that they wrote: a worker would grow with each post."""
    connection = connections["default"]
    monkeypatch.setattr(connection, "force_debug_cursor", True)
    Request.objects.count()
    assert connection.queries_log
    task_prerun.send(sender=tasks.run_request)
    assert not connection.queries_log
