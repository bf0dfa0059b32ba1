"""Doing things at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

#: Marks of a module or test that proves a race.
ON_POSTGRESQL = [
    pytest.mark.race,
    pytest.mark.skipif(
        not settings.DATABASES["default"]["ENGINE"].endswith("postgresql"),
        reason="races are proved on PostgreSQL",
    ),
    pytest.mark.django_db(transaction=True),
]


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Run the calls in threads of their own, released together; what each returned or raised."""
    barrier = threading.Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            barrier.wait(timeout=20)
            return call()
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))
