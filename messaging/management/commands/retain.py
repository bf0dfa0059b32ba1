"""``manage.py retain``: let go of what is past keeping, in every inbox. See docs/inbox.md, "Retention"."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.core.management.base import CommandParser

from messaging.inbox.services.retaining import Retained, retain
from workforce.clock import to_ms
from workforce.management.base import Answer, Options, OrganizationCommand


class Command(OrganizationCommand):
    help = (
        "Let go of what RETAIN_WORKFLOW_DAYS and RETAIN_GOVERNANCE_DAYS say is past keeping, in every inbox."
    )
    takes_organization: ClassVar[bool] = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--dry-run", action="store_true", help="change nothing, and say what would be let go of"
        )

    def act(self, options: Options) -> Answer:
        dry_run = bool(options["dry_run"])
        done = retain(dry_run=dry_run)
        return Answer(_shown(done, dry_run), "\n".join(_lines(done, dry_run)))


def _shown(done: Retained, dry_run: bool) -> dict[str, object]:
    return {
        "dryRun": dry_run,
        "workflow": {
            **_when(settings.RETAIN_WORKFLOW_DAYS, done.workflow_before),
            "messages": done.messages,
            "notes": done.notes,
        },
        "governance": {
            **_when(settings.RETAIN_GOVERNANCE_DAYS, done.governance_before),
            "events": done.events,
            "incidents": done.incidents,
        },
    }


def _when(days: int, before: datetime | None) -> dict[str, int | None]:
    return {"days": days or None, "before": None if before is None else to_ms(before)}


def _lines(done: Retained, dry_run: bool) -> list[str]:
    would = "would be " if dry_run else ""
    workflow = f"{done.messages} messages and {done.notes} notes {would}emptied"
    governance = f"{done.events} events {would}made nameless, {done.incidents} incidents {would}removed"
    return [
        f"workflow: {workflow}" if done.workflow_before else "workflow: off (RETAIN_WORKFLOW_DAYS)",
        f"governance: {governance}" if done.governance_before else "governance: off (RETAIN_GOVERNANCE_DAYS)",
    ]
