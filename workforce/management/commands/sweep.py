"""Find what was left pending, once: for cron, where no beat runs."""

from __future__ import annotations

from django.conf import settings

from workforce.dispatch import sweep
from workforce.management.base import Answer, Options, OrganizationCommand


class Command(OrganizationCommand):
    help = "Run (or, with a broker, nudge) what is due, and prune what is past keeping. Once."
    takes_organization = False  # it looks through all of them

    def act(self, options: Options) -> Answer:
        # Without a broker there is nobody to nudge from another process: the work is done here.
        embedded = settings.CELERY_BROKER_URL.startswith("memory")
        count = sweep.run_due() if embedded else sweep.nudge_due()
        counts = {"ran" if embedded else "nudged": count, "pruned": sweep.prune(), **sweep.run_registered()}
        return Answer(counts, ", ".join(f"{name} {number}" for name, number in counts.items()))
