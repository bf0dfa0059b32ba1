"""What the commands of an organization share: options, refusals, output. See docs/identity.md."""

from __future__ import annotations

import argparse
import json
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.utils import OperationalError, ProgrammingError

from workforce.errors import DomainError
from workforce.models import Organization
from workforce.names import printable
from workforce.selectors.organizations import get_organization
from workforce.services.organizations import ensure_organization

Options = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command found or did: ``data`` for ``--format json``, else ``text``; and notes for stderr."""

    data: object
    text: str
    notes: Sequence[str] = ()


class OrganizationCommand(BaseCommand):
    """A command with ``--organization`` and ``--format``; only its result goes to stdout.

    A subclass defines ``act``, or adds verbs with ``add_verb``. A DomainError ends the command with
    ``code: words`` on stderr and exit code 1; a wrong command line with exit code 2.
    """

    # Fast, and silent about what is not this command's business: 'manage.py check' checks.
    requires_system_checks = ()
    takes_organization: ClassVar[bool] = True

    def add_arguments(self, parser: CommandParser) -> None:
        self._add_shared_options(parser, organization=None, format="text")

    def add_verb(
        self,
        verbs: argparse._SubParsersAction[Any],
        name: str,
        act: Callable[[Options], Answer],
        *,
        help: str,
    ) -> CommandParser:
        """One verb of the command; the shared options are taken before it and after it."""
        verb: CommandParser = verbs.add_parser(name, help=help, description=help)
        self._add_shared_options(verb, organization=argparse.SUPPRESS, format=argparse.SUPPRESS)
        verb.set_defaults(act=act)
        return verb

    def organization(self, options: Options, *, make_default: bool = False) -> Organization:
        """The organization asked for, else the default one. Raises UnknownOrganization.

        In open mode a missing default organization is made when ``make_default`` says so.
        """
        slug = options["organization"] or settings.DEFAULT_ORGANIZATION
        if make_default and slug == settings.DEFAULT_ORGANIZATION and settings.WORKFORCE_AUTH == "open":
            return ensure_organization(slug=slug)
        return get_organization(slug)

    @abstractmethod
    def act(self, options: Options) -> Answer:
        """What a command without verbs does."""
        raise NotImplementedError

    def handle(self, *args: Any, **options: Any) -> None:
        act: Callable[[Options], Answer] = options.get("act") or self.act
        try:
            answer = act(options)
        except DomainError as error:
            raise CommandError(f"{error.code}: {error.words}") from error
        except (OperationalError, ProgrammingError) as error:
            raise CommandError(
                f"unavailable: {error}; has 'manage.py migrate' run on this database?"
            ) from error
        if options["format"] == "json":
            self.stdout.write(json.dumps(answer.data))
        elif answer.text:
            self.stdout.write(answer.text)
        for note in answer.notes:
            self.stderr.write(note, style_func=str)

    def _add_shared_options(self, parser: CommandParser, *, organization: str | None, format: str) -> None:
        if self.takes_organization:
            parser.add_argument(
                "--organization",
                metavar="SLUG",
                default=organization,
                help="the organization (default: the setting DEFAULT_ORGANIZATION)",
            )
        parser.add_argument(
            "--format",
            choices=["text", "json"],
            default=format,
            help="how the result is printed (default: text)",
        )


def as_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows in aligned columns, one line each; nothing in a cell can break a line."""
    cells = [[printable(cell) or "-" for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)
    return "\n".join(line.rstrip() for line in lines)
