"""``manage.py session``: remove a session that is in an operator's way. See docs/mailboxes.md, "Opening"."""

from __future__ import annotations

from django.core.management.base import CommandParser

from workforce.management.base import Answer, Options, OrganizationCommand
from workforce.services.sessions import remove_session


class Command(OrganizationCommand):
    help = "Remove a session of anybody's, with everything in it; an open mailbox stays."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        remove = self.add_verb(verbs, "remove", self.remove, help="remove a session with everything in it")
        remove.add_argument("session", metavar="ID", help="the session's id, as a refused load names it")

    def remove(self, options: Options) -> Answer:
        gone = remove_session(organization=self.organization(options), address=options["session"])
        shown = {
            "id": gone.address,
            "flowKind": gone.kind,
            "userId": gone.owner.username,
            "items": gone.item_seq,
        }
        text = f"removed {gone.address}: a session of {gone.owner.username}'s, {gone.kind}, items: {gone.item_seq}"
        return Answer(shown, text)
