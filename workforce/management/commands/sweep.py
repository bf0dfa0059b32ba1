"""Find what was left pending, once: for cron, where no beat runs."""

from __future__ import annotations

from collections import Counter

from django.conf import settings

from workforce.dispatch import sweep
from workforce.management.base import Answer, Options, OrganizationCommand


class Command(OrganizationCommand):
    help = "Run (or, with a broker, nudge) what is due, and prune what is past keeping. Once."
    takes_organization = False  # it looks through all of them

    def act(self, options: Options) -> Answer:
        # Without a broker there is nobody to nudge from another process: the work is done here.
        embedded = settings.CELERY_BROKER_URL.startswith("memory")
        swept = _run_rounds() if embedded else Counter(nudged=sweep.nudge_due(), **sweep.run_registered())
        done = "ran" if embedded else "nudged"
        counts = {done: swept.pop(done, 0), "pruned": sweep.prune(), **swept}
        return Answer(counts, ", ".join(f"{name} {number}" for name, number in counts.items()))


def _run_rounds() -> Counter[str]:
    """Sweep and run until nothing runs: what a sweep hands out is run in it, and what that frees is handed out too."""
    swept: Counter[str] = Counter()
    while True:
        swept.update(sweep.run_registered())
        ran = sweep.run_due()
        if not ran:
            return swept
        swept["ran"] += ran
