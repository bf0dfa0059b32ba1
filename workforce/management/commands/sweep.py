"""Find what was left pending, once: for cron, where no beat runs."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from workforce.dispatch import sweep


class Command(BaseCommand):
    help = "Run (or, with a broker, nudge) what is due, and prune what is past keeping. Once."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            counts = self._sweep()
        except DatabaseError as error:
            raise CommandError(f"unavailable: {error}; has 'manage.py migrate' run?") from None
        self.stdout.write(", ".join(f"{name} {number}" for name, number in counts.items()))

    def _sweep(self) -> dict[str, int]:
        # Without a broker there is nobody to nudge from another process: the work is done here.
        embedded = settings.CELERY_BROKER_URL.startswith("memory")
        count = sweep.run_due() if embedded else sweep.nudge_due()
        return {"ran" if embedded else "nudged": count, "pruned": sweep.prune(), **sweep.run_registered()}
