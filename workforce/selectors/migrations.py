"""Whether the database is as the code expects it."""

from __future__ import annotations

from django.db import connection
from django.db.migrations.executor import MigrationExecutor


def is_migrated() -> bool:
    """Whether every migration was applied. Raises DatabaseError when the database cannot be asked."""
    executor = MigrationExecutor(connection)
    return not executor.migration_plan(executor.loader.graph.leaf_nodes())
