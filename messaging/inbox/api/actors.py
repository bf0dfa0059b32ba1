"""Actors and their keys over REST: for owners with a browser session; operators look."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from messaging.inbox.api.inputs import NewActor
from messaging.inbox.api.setupschemas import ActorAnswer, ActorPage, KeyAnswer, RevokedKeyAnswer
from messaging.inbox.api.views import SetupView
from messaging.inbox.selectors.inboxes import get_inbox, joined_inboxes
from messaging.inbox.services.admitting import admit_actor, scope_of, user_for
from workforce import clock
from workforce.api.paging import page
from workforce.api.schemas.operations import Answer, Operation
from workforce.kinds import NoInput
from workforce.models import Actor, Key
from workforce.selectors.actors import actor_state, list_actors
from workforce.services.actors import freeze_actor, retire_actor, unfreeze_actor
from workforce.services.keys import revoke_key, rotate_key

REFUSES = frozenset({409, 422})


class ActorsView(SetupView):
    """The organization's actors; or add one."""

    query = {"GET": frozenset({"limit", "cursor"})}
    describes = {
        "GET": Operation(
            id="listActors",
            summary="The organization's actors; owners and operators.",
            answers={200: Answer("A page of actors.", ActorPage)},
        ),
        "POST": Operation(
            id="addActor",
            summary="Add an actor with its first key, which is shown this once; owners.",
            answers={201: Answer("The key.", KeyAnswer)},
            body=NewActor,
            refuses=REFUSES,
        ),
    }

    def get(self, request: HttpCall) -> Response:
        organization = self.operator().organization
        answer = page(
            list_actors(organization),
            scope=f"actors:{organization.pk}",
            by="passname",
            ascending=True,
            limit=self.limit(default=50, maximum=200),
            cursor=request.query_params.get("cursor"),
            shape=lambda actor: actor,
        )
        answer["items"] = actor_shapes(answer["items"])
        return Response(answer)

    def post(self, request: HttpCall) -> Response:
        caller, value = self.owner(), self.body(NewActor)
        inbox = get_inbox(caller.organization, value.inbox) if value.inbox is not None else None
        _, key, text = admit_actor(
            organization=caller.organization,
            passname=value.passname,
            user=user_for(caller=caller, username=value.user),
            grants=value.grants,
            inbox=inbox,
            scope=value.scope,
            kind=value.kind,
            display_name=value.display_name,
            expires_days=value.expires_days,
            operator=caller.user.username,
        )
        return Response(key_shape(key, text), status=201)


@dataclass(frozen=True, slots=True)
class Act:
    """What can be done to an actor: its name in the path, in words, and the service."""

    name: str
    words: str
    run: Callable[..., Actor]


ACTS = (
    Act("freeze", "Refuse every key of the actor from the next call on, until it is unfrozen.", freeze_actor),
    Act("unfreeze", "Let a frozen actor's keys count again.", unfreeze_actor),
    Act("retire", "End the actor for good: its keys are revoked, its passname stays taken.", retire_actor),
)


def described(act: Act) -> dict[str, Operation]:
    """What the document says of an act's path."""
    return {
        "POST": Operation(
            id=f"{act.name}Actor",
            summary=f"{act.words} Owners.",
            answers={200: Answer("The actor as it is now.", ActorAnswer)},
            body=NoInput,
            refuses=REFUSES,
        )
    }


class ActorView(SetupView):
    """Do something to an actor; each act has a path of its own."""

    #: Set for each path, together with what describes it.
    act: Act = ACTS[0]

    def post(self, request: HttpCall, passname: str) -> Response:
        caller = self.owner()
        self.body(NoInput)
        actor = self.act.run(
            organization=caller.organization, passname=passname, operator=caller.user.username
        )
        return Response(actor_shapes([actor])[0])


class RotateView(SetupView):
    """Replace an actor's keys by one new key."""

    describes = {
        "POST": Operation(
            id="rotateKey",
            summary="Replace the actor's keys by one new key, shown this once. Owners.",
            answers={201: Answer("The key.", KeyAnswer)},
            body=NoInput,
            refuses=REFUSES,
        )
    }

    def post(self, request: HttpCall, passname: str) -> Response:
        caller = self.owner()
        self.body(NoInput)
        key, text = rotate_key(
            organization=caller.organization, passname=passname, operator=caller.user.username
        )
        return Response(key_shape(key, text), status=201)


class RevokeView(SetupView):
    """Refuse a key for good."""

    describes = {
        "POST": Operation(
            id="revokeKey",
            summary="Refuse a key from the next call on, for good. Owners.",
            answers={200: Answer("The key.", RevokedKeyAnswer)},
            body=NoInput,
            refuses=frozenset({409}),
        )
    }

    def post(self, request: HttpCall, prefix: str) -> Response:
        caller = self.owner()
        self.body(NoInput)
        key = revoke_key(organization=caller.organization, prefix=prefix, operator=caller.user.username)
        assert key.revoked_at is not None
        return Response(
            {
                "prefix": key.prefix,
                "passname": key.actor.passname,
                "revokedAt": clock.to_ms(key.revoked_at),
            }
        )


def key_shape(key: Key, text: str) -> dict[str, Any]:
    """A new key, as commands print it too."""
    slugs = joined_inboxes([key.actor]).get(key.actor.pk, [])
    return {
        "passname": key.actor.passname,
        "key": text,
        "prefix": key.prefix,
        "inbox": slugs[0] if slugs else None,
        "scope": scope_of(key.grants),
        "grants": key.grants,
    }


def actor_shapes(actors: list[Actor]) -> list[dict[str, Any]]:
    """Actors with where they take part."""
    joined = joined_inboxes(actors)
    return [
        {
            "passname": actor.passname,
            "displayName": actor.display_name,
            "kind": actor.kind,
            "state": actor_state(actor),
            "user": actor.user.username,
            "inboxes": joined.get(actor.pk, []),
            "createdAt": clock.to_ms(actor.created_at),
        }
        for actor in actors
    ]
