"""``manage.py load_workforce``: load a workforce tree into an organization. See docs/tree.md, "Loading"."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from mailboxes.errors import LoadRefused
from mailboxes.management.loadtexts import report_text
from mailboxes.management.progress import LoadProgress
from mailboxes.services.loading import load_tree_for
from mailboxes.services.reporting import LoadReport
from mailboxes.tree import Tree, read_tree
from workforce.collector import paused_collector
from workforce.management.base import Answer, Options, OrganizationCommand
from workforce.models import Organization, User
from workforce.refusals import Refusal
from workforce.selectors.organizations import get_organization
from workforce.services.organizations import ensure_membership, ensure_organization, ensure_user
from workforce.tree import TreeUnreadable


class Command(OrganizationCommand):
    help = (
        "Load a workforce tree: hire its workers, store its boards, routing and templates, open its mailboxes. "
        "Exit code 0: all is well; 1: problems or refusals, and nothing was changed; 3: loaded with "
        "--skip-broken, and something was passed over."
    )

    exit_code = 0

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "root",
            nargs="?",
            metavar="ROOT",
            help="the folder that holds teams/ and org/ (default: the setting WORKFORCE_TREE)",
        )
        parser.add_argument(
            "--user",
            metavar="USERNAME",
            help="who owns the mailboxes that are opened (default: the setting DEFAULT_USER)",
        )
        parser.add_argument(
            "--check", action="store_true", help="read and check everything, change nothing, need no database"
        )
        parser.add_argument(
            "--skip-broken", action="store_true", help="load what is sound although other records are broken"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            super().handle(*args, **options)
        except CommandError as error:
            if options["format"] == "json":  # a program that reads the report finds one, whatever happened
                report = LoadReport(refusals=(Refusal(id="", message=str(error)),))
                self.stdout.write(json.dumps(report.as_data()))
            raise
        if self.exit_code:
            sys.exit(self.exit_code)

    def act(self, options: Options) -> Answer:
        root = options["root"] or settings.WORKFORCE_TREE
        with paused_collector(), LoadProgress() as progress:
            tree = self._read(options, on_read=progress.advance)
            progress.apply()
            report = load_tree_for(
                tree=tree,
                whose=lambda: self._whose(options),
                skip_broken=options["skip_broken"],
                check=options["check"],
            )
        self.exit_code = report.exit_code
        notes = [f"Nothing was changed ({root})."] if report.stopped else []
        return Answer(report.as_data(), report_text(report, root, check=options["check"]), notes)

    def _read(self, options: Options, on_read: Callable[[int], object]) -> Tree:
        if options["root"]:
            return read_tree(options["root"], on_read=on_read)
        try:
            return read_tree(settings.WORKFORCE_TREE, on_read=on_read)
        except TreeUnreadable as error:
            raise TreeUnreadable(f"WORKFORCE_TREE: {error.words}") from None

    def _whose(self, options: Options) -> tuple[Organization, User]:
        organization = self._destination(options["organization"])
        return organization, self._owner(options["user"], organization)

    def _destination(self, slug: str | None) -> Organization:
        if slug in (None, settings.DEFAULT_ORGANIZATION):
            return ensure_organization(slug=settings.DEFAULT_ORGANIZATION)
        return get_organization(slug)

    def _owner(self, username: str | None, organization: Organization) -> User:
        name = username or settings.DEFAULT_USER
        if settings.WORKFORCE_AUTH == "open":
            user = ensure_user(username=name)
            ensure_membership(user=user, organization=organization)
            return user
        found = User.objects.filter(username=name).first() if "\x00" not in name else None
        if found is None:
            raise LoadRefused(
                f"there is no user '{name}' to own the mailboxes; pass --user with the name of one that exists, "
                f"or make it with 'manage.py createsuperuser --username {name}'"
            )
        return found
