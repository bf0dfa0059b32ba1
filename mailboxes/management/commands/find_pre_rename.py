"""``manage.py find_pre_rename``: find data from before channels were called mailboxes. See docs/mailboxes.md."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import CommandParser

from mailboxes.selectors.prerename import PreRenameMark, find_pre_rename_marks
from workforce.management.base import Answer, Options, OrganizationCommand
from workforce.names import printable
from workforce.selectors.organizations import get_organization


class Command(OrganizationCommand):
    help = (
        "List data from before channels were called mailboxes, each with the reason: sessions of the kind "
        "'channel', mailboxes with old items in their recent transcript, organizations with an old inventory. "
        "Only reads. Exit code 1 when there is any."
    )
    takes_organization = False  # absent means all of them here, not the default one

    exit_code = 0

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--organization", metavar="SLUG", help="only this organization (default: all)")

    def handle(self, *args: Any, **options: Any) -> None:
        super().handle(*args, **options)
        if self.exit_code:
            sys.exit(self.exit_code)

    def act(self, options: Options) -> Answer:
        slug = options["organization"]
        marks = find_pre_rename_marks(organization=get_organization(slug) if slug else None)
        self.exit_code = 1 if marks else 0
        data = {
            "sessions": [_shown(mark) for mark in marks.sessions],
            "organizations": [{"id": mark.id, "reason": mark.reason} for mark in marks.organizations],
        }
        lines = [
            *(
                f"session {printable(mark.id)} in {mark.organization}: {mark.reason}"
                for mark in marks.sessions
            ),
            *(f"organization {mark.id}: {mark.reason}" for mark in marks.organizations),
        ]
        return Answer(data, "\n".join(lines) or "No data from before the rename.")


def _shown(mark: PreRenameMark) -> dict[str, str]:
    return {"id": mark.id, "organization": mark.organization, "reason": mark.reason}
