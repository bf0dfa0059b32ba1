"""Locks that are no row's. See docs/tree.md, "Loading"."""

from __future__ import annotations

import hashlib

from django.db import connection

from workforce.models import Organization


def lock_organization(organization: Organization) -> None:
    """Wait until no other load of the organization runs, and hold that until the transaction ends.

    Must be called in a transaction. On SQLite the transaction itself is the lock: it begins IMMEDIATE.
    """
    assert connection.in_atomic_block, "lock_organization needs a transaction"
    if connection.vendor != "postgresql":
        return
    digest = hashlib.sha256(f"organization:{organization.pk}".encode()).digest()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [int.from_bytes(digest[:8], signed=True)])
