"""``manage.py actor``: add, freeze, retire and list actors, and who takes part where. See docs/identity.md."""

from __future__ import annotations

from django.conf import settings
from django.core.management.base import CommandParser
from django.db import transaction

from messaging.inbox.selectors.inboxes import get_inbox
from messaging.inbox.services.admitting import SCOPES, admit_actor
from messaging.inbox.services.opening import join_inbox, leave_inbox
from messaging.management.keytexts import add_key_options, key_answer
from workforce.clock import to_ms
from workforce.management.base import Answer, Options, OrganizationCommand, as_table
from workforce.models import Actor
from workforce.selectors.actors import actor_state, list_actors
from workforce.services.actors import freeze_actor, retire_actor, unfreeze_actor
from workforce.services.organizations import ensure_user


class Command(OrganizationCommand):
    help = "Add, freeze, unfreeze, retire and list actors, which call with keys; let them join and leave inboxes."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
        self._add_adding(self.add_verb(verbs, "add", self.add, help="add an actor and print its key, once"))
        passname_verbs = [
            ("freeze", self.freeze, "refuse every key of the actor, until it is unfrozen"),
            ("unfreeze", self.unfreeze, "let a frozen actor's keys count again"),
            ("retire", self.retire, "end the actor for good; its passname stays taken"),
        ]
        for name, act, words in passname_verbs:
            self.add_verb(verbs, name, act, help=words).add_argument("passname", metavar="PASSNAME")
        for name, act, words in [
            ("join", self.join, "let the actor take part in an inbox"),
            ("leave", self.leave, "end the actor's part in an inbox; its receipts stay"),
        ]:
            verb = self.add_verb(verbs, name, act, help=words)
            verb.add_argument("passname", metavar="PASSNAME")
            verb.add_argument("--inbox", metavar="SLUG", required=True)
        self.add_verb(verbs, "list", self.list, help="list the organization's actors")

    def add(self, options: Options) -> Answer:
        # One transaction, so that a refusal leaves neither a user nor an organization behind.
        with transaction.atomic():
            organization = self.organization(options, make_default=True)
            slug = options["inbox"]
            actor, key, text = admit_actor(
                organization=organization,
                inbox=get_inbox(organization, slug) if slug is not None else None,
                scope=options["scope"],
                passname=options["passname"],
                user=ensure_user(username=options["user"] or settings.DEFAULT_USER),
                grants=options["grants"],
                kind=options["kind"],
                display_name=options["display_name"],
                expires_days=options["expires"],
            )
        return key_answer(actor, key, text)

    def freeze(self, options: Options) -> Answer:
        organization = self.organization(options)
        return _state_answer(freeze_actor(organization=organization, passname=options["passname"]))

    def unfreeze(self, options: Options) -> Answer:
        organization = self.organization(options)
        return _state_answer(unfreeze_actor(organization=organization, passname=options["passname"]))

    def retire(self, options: Options) -> Answer:
        organization = self.organization(options)
        return _state_answer(retire_actor(organization=organization, passname=options["passname"]))

    def join(self, options: Options) -> Answer:
        inbox = get_inbox(self.organization(options), options["inbox"])
        place = join_inbox(inbox=inbox, passname=options["passname"])
        return _place_answer(place.actor.passname, inbox.slug, "joined")

    def leave(self, options: Options) -> Answer:
        inbox = get_inbox(self.organization(options), options["inbox"])
        place = leave_inbox(inbox=inbox, passname=options["passname"])
        return _place_answer(place.actor.passname, inbox.slug, "left")

    def list(self, options: Options) -> Answer:
        actors = list(list_actors(self.organization(options)))
        rows = [
            (actor.passname, actor.kind, actor_state(actor), actor.user.username, actor.display_name)
            for actor in actors
        ]
        return Answer({"items": [_shown(actor) for actor in actors]}, as_table(rows))

    def _add_adding(self, add: CommandParser) -> None:
        add.add_argument("passname", metavar="PASSNAME", help="lowercase letters, digits and single hyphens")
        add.add_argument(
            "--user", metavar="USERNAME", help="whose actor it is (default: the setting DEFAULT_USER)"
        )
        add_key_options(add)
        add.add_argument("--inbox", metavar="SLUG", help="it takes part in this inbox from the start")
        add.add_argument(
            "--scope",
            choices=sorted(SCOPES),
            default="read",
            help="with --inbox: what its key may do there; write holds read (default: read)",
        )
        add.add_argument("--kind", choices=Actor.Kind.values, default=Actor.Kind.AGENT.value)
        add.add_argument("--display-name", default="", metavar="NAME", help="its name for people")


def _place_answer(passname: str, inbox: str, state: str) -> Answer:
    return Answer({"passname": passname, "inbox": inbox, "state": state}, f"{passname}: {state} {inbox}")


def _state_answer(actor: Actor) -> Answer:
    return Answer(_shown(actor), f"{actor.passname}: {actor_state(actor)}")


def _shown(actor: Actor) -> dict[str, object]:
    return {
        "passname": actor.passname,
        "displayName": actor.display_name,
        "kind": actor.kind,
        "state": actor_state(actor),
        "user": actor.user.username,
        "createdAt": to_ms(actor.created_at),
    }
