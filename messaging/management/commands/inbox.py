"""``manage.py inbox``: make and list inboxes. See docs/inbox.md."""

from __future__ import annotations

from django.core.management.base import CommandParser
from django.db import transaction

from messaging.inbox.models import Inbox
from messaging.inbox.selectors.inboxes import get_inbox, inboxes_of, participants_of, window_of
from messaging.inbox.selectors.owing import standing_of
from messaging.inbox.services.opening import create_inbox, set_window
from workforce.clock import to_ms
from workforce.management.base import Answer, Options, OrganizationCommand, as_table


class Command(OrganizationCommand):
    help = "Make and list inboxes, and who takes part in them."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        create = self.add_verb(verbs, "create", self.create, help="make an inbox, with nobody in it")
        create.add_argument("slug", metavar="SLUG", help="lowercase letters, digits and single hyphens")
        window_help = "in how many seconds an equal send is folded; 0 for never (default: the setting)"
        create.add_argument("--window", type=int, metavar="SECONDS", help=window_help)
        window = self.add_verb(verbs, "window", self.window, help="set the duplicate window of an inbox")
        window.add_argument("slug", metavar="SLUG")
        window.add_argument("seconds", type=int, nargs="?", metavar="SECONDS", help=window_help)
        self.add_verb(verbs, "list", self.list, help="list the organization's inboxes")
        show = self.add_verb(verbs, "participants", self.participants, help="list who takes part")
        show.add_argument("slug", metavar="SLUG")

    def create(self, options: Options) -> Answer:
        with transaction.atomic():
            organization = self.organization(options, make_default=True)
            inbox = create_inbox(
                organization=organization, slug=options["slug"], duplicate_window=options["window"]
            )
        return Answer(_shown(inbox), f"{inbox.slug}: /api/inboxes/{inbox.slug}/")

    def window(self, options: Options) -> Answer:
        inbox = get_inbox(self.organization(options), options["slug"])
        inbox = set_window(inbox=inbox, seconds=options["seconds"])
        return Answer(_shown(inbox), f"{inbox.slug}: {window_of(inbox)} seconds")

    def list(self, options: Options) -> Answer:
        inboxes = list(inboxes_of(self.organization(options)))
        rows = [(inbox.slug, f"{inbox.message_seq} messages") for inbox in inboxes]
        return Answer({"items": [_shown(inbox) for inbox in inboxes]}, as_table(rows) if rows else "")

    def participants(self, options: Options) -> Answer:
        inbox = get_inbox(self.organization(options), options["slug"])
        places = list(participants_of(inbox).order_by("actor__passname"))
        shown = [
            {
                "passname": place.actor.passname,
                "state": standing_of(place),
                "joinedAt": to_ms(place.joined_at),
                "leftAt": None if place.left_at is None else to_ms(place.left_at),
                "pending": place.pending,
                "delivered": place.delivered,
            }
            for place in places
        ]
        rows = [
            (
                place.actor.passname,
                standing_of(place),
                f"{place.pending + place.delivered} open",
            )
            for place in places
        ]
        return Answer({"items": shown}, as_table(rows) if rows else "")


def _shown(inbox: Inbox) -> dict[str, object]:
    return {
        "inbox": inbox.slug,
        "duplicateWindow": window_of(inbox),
        "messages": inbox.message_seq,
        "createdAt": to_ms(inbox.created_at),
    }
