"""``manage.py organization``: make and list organizations. See docs/identity.md."""

from __future__ import annotations

from django.core.management.base import CommandParser

from workforce.clock import to_ms
from workforce.management.base import Answer, Options, OrganizationCommand, as_table
from workforce.models import Organization
from workforce.selectors.organizations import list_organizations
from workforce.services.organizations import create_organization


class Command(OrganizationCommand):
    help = "Make and list organizations."
    takes_organization = False  # it is the thing named

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        create = self.add_verb(verbs, "create", self.create, help="make an organization")
        create.add_argument("slug", metavar="SLUG", help="lowercase letters, digits and single hyphens")
        create.add_argument("--name", default="", help="its name for people (default: the slug)")
        self.add_verb(verbs, "list", self.list, help="list all organizations")

    def create(self, options: Options) -> Answer:
        organization = create_organization(slug=options["slug"], name=options["name"])
        return Answer(_shown(organization), organization.slug)

    def list(self, options: Options) -> Answer:
        organizations = list(list_organizations())
        text = as_table([(entry.slug, entry.name) for entry in organizations])
        return Answer({"items": [_shown(entry) for entry in organizations]}, text)


def _shown(organization: Organization) -> dict[str, object]:
    return {
        "slug": organization.slug,
        "name": organization.name,
        "createdAt": to_ms(organization.created_at),
    }
