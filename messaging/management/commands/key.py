"""``manage.py key``: issue, rotate, revoke and list the keys of actors. See docs/identity.md."""

from __future__ import annotations

from datetime import datetime

from django.core.management.base import CommandParser

from messaging.management.keytexts import add_key_options, key_answer
from workforce import clock
from workforce.management.base import Answer, Options, OrganizationCommand, as_table
from workforce.models import Key
from workforce.selectors.actors import key_state, list_keys
from workforce.services.keys import issue_key, revoke_key, rotate_key


class Command(OrganizationCommand):
    help = "Issue, rotate, revoke and list the keys of actors."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        issue = self.add_verb(verbs, "issue", self.issue, help="give the actor one more key, printed once")
        issue.add_argument("passname", metavar="PASSNAME")
        add_key_options(issue)
        rotate = self.add_verb(
            verbs, "rotate", self.rotate, help="replace the actor's keys by one new key, printed once"
        )
        rotate.add_argument("passname", metavar="PASSNAME")
        revoke = self.add_verb(verbs, "revoke", self.revoke, help="refuse a key, for good")
        revoke.add_argument("prefix", metavar="PREFIX", help="the visible part, 12 hexadecimal digits")
        listing = self.add_verb(verbs, "list", self.list, help="list the organization's keys, or one actor's")
        listing.add_argument("passname", metavar="PASSNAME", nargs="?")

    def issue(self, options: Options) -> Answer:
        key, text = issue_key(
            organization=self.organization(options),
            passname=options["passname"],
            grants=options["grants"],
            expires_days=options["expires"],
        )
        return key_answer(key.actor, key, text)

    def rotate(self, options: Options) -> Answer:
        key, text = rotate_key(organization=self.organization(options), passname=options["passname"])
        return key_answer(key.actor, key, text)

    def revoke(self, options: Options) -> Answer:
        key = revoke_key(organization=self.organization(options), prefix=options["prefix"])
        return Answer(_shown(key, clock.now()), f"{key.prefix}: revoked")

    def list(self, options: Options) -> Answer:
        now = clock.now()
        keys = list(list_keys(self.organization(options), passname=options["passname"]))
        rows = [
            (key.prefix, key.actor.passname, key_state(key, now=now), " ".join(key.grants), _last_use(key))
            for key in keys
        ]
        return Answer({"items": [_shown(key, now) for key in keys]}, as_table(rows))


def _shown(key: Key, now: datetime) -> dict[str, object]:
    return {
        "prefix": key.prefix,
        "passname": key.actor.passname,
        "state": key_state(key, now=now),
        "grants": key.grants,
        "createdAt": clock.to_ms(key.created_at),
        "expiresAt": _ms(key.expires_at),
        "revokedAt": _ms(key.revoked_at),
        "lastUsedAt": _ms(key.last_used_at),
    }


def _ms(moment: datetime | None) -> int | None:
    return None if moment is None else clock.to_ms(moment)


def _last_use(key: Key) -> str:
    return f"used {key.last_used_at:%Y-%m-%d %H:%M}" if key.last_used_at else "never used"
