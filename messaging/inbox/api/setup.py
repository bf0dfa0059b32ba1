"""Setting inboxes up over REST: for owners and operators with a browser session."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from messaging.inbox.api.inputs import InboxChanges, NewInbox, NewParticipant, NewSchema
from messaging.inbox.api.setupschemas import (
    InboxAnswer,
    InboxPage,
    ParticipantAnswer,
    ParticipantPage,
    SchemaAnswer,
    SchemaList,
)
from messaging.inbox.api.views import SetupView
from messaging.inbox.models import Inbox, Participation, PayloadSchema
from messaging.inbox.selectors.inboxes import inboxes_for, inboxes_of, participants_of, window_of
from messaging.inbox.services.opening import create_inbox, join_inbox, leave_inbox, set_window
from messaging.inbox.services.schemas import remove_schema, set_schema
from workforce import clock
from workforce.api.paging import page
from workforce.api.schemas.operations import Answer, Operation
from workforce.models import Grant
from workforce.selectors.actors import actor_state


class InboxesView(SetupView):
    """The inboxes that a key takes part in, or all of an operator's organization; or make one."""

    grants = {"GET": Grant.INBOX_READ}
    query = {"GET": frozenset({"limit", "cursor"})}
    describes = {
        "GET": Operation(
            id="listInboxes",
            summary="The inboxes that the key's actor takes part in; an operator's session sees all.",
            answers={200: Answer("A page of inboxes.", InboxPage)},
        ),
        "POST": Operation(
            id="createInbox",
            summary="Make an inbox; owners and operators.",
            answers={201: Answer("The inbox.", InboxAnswer, headers=("Location",))},
            body=NewInbox,
            refuses=frozenset({409}),
        ),
    }

    def get(self, request: HttpCall) -> Response:
        by_key = self.caller.key_id is not None
        rows = inboxes_for(self.caller) if by_key else inboxes_of(self.operator().organization)
        answer = page(
            rows,
            scope=f"inboxes:{self.caller.organization.pk}:{self.caller.actor_id}",
            by="slug",
            ascending=True,
            limit=self.limit(default=50, maximum=200),
            cursor=request.query_params.get("cursor"),
            shape=inbox_shape,
        )
        return Response(answer)

    def post(self, request: HttpCall) -> Response:
        caller, value = self.operator(), self.body(NewInbox)
        response = self.once(
            lambda: (
                201,
                inbox_shape(
                    create_inbox(
                        organization=caller.organization,
                        slug=value.slug,
                        duplicate_window=value.duplicate_window,
                    )
                ),
            )
        )
        if response.status_code == 201:
            response["Location"] = f"/api/inboxes/{response.data['slug']}"
        return response


class OneInboxView(SetupView):
    """One inbox; or change it."""

    grants = {"GET": Grant.INBOX_READ}
    describes = {
        "GET": Operation(
            id="getInbox", summary="An inbox.", answers={200: Answer("The inbox.", InboxAnswer)}
        ),
        "PATCH": Operation(
            id="changeInbox",
            summary="Set in how many seconds an equal send is folded; owners and operators.",
            answers={200: Answer("The inbox.", InboxAnswer)},
            body=InboxChanges,
        ),
    }

    def get(self, request: HttpCall, inbox: str) -> Response:
        return Response(inbox_shape(self.readable(inbox)))

    def patch(self, request: HttpCall, inbox: str) -> Response:
        found = self.operated(inbox)
        value = self.body(InboxChanges)
        return Response(inbox_shape(set_window(inbox=found, seconds=value.duplicate_window)))


class ParticipantsView(SetupView):
    """Who takes part; or let an actor join."""

    grants = {"GET": Grant.INBOX_READ}
    query = {"GET": frozenset({"limit", "cursor"})}
    describes = {
        "GET": Operation(
            id="listParticipants",
            summary="Who takes part in the inbox, and who did: whom one can send to.",
            answers={200: Answer("A page of participants.", ParticipantPage)},
        ),
        "POST": Operation(
            id="joinInbox",
            summary="Let an actor of the organization take part; owners and operators.",
            answers={201: Answer("The participant.", ParticipantAnswer)},
            body=NewParticipant,
            refuses=frozenset({409, 422}),
        ),
    }

    def get(self, request: HttpCall, inbox: str) -> Response:
        found = self.readable(inbox)
        answer = page(
            participants_of(found),
            scope=f"participants:{found.pk}",
            by="joined_at",
            ascending=True,
            limit=self.limit(default=50, maximum=200),
            cursor=request.query_params.get("cursor"),
            shape=participant_shape,
            encode=datetime.isoformat,
            decode=datetime.fromisoformat,
        )
        return Response(answer)

    def post(self, request: HttpCall, inbox: str) -> Response:
        found = self.operated(inbox)
        value = self.body(NewParticipant)
        name = self.caller.user.username
        return self.once(
            lambda: (
                201,
                participant_shape(join_inbox(inbox=found, passname=value.passname, operator=name)),
            )
        )


class ParticipantView(SetupView):
    """Let an actor leave."""

    describes = {
        "DELETE": Operation(
            id="leaveInbox",
            summary="End an actor's part in the inbox; its receipts stay. Owners and operators.",
            answers={200: Answer("The participant that was.", ParticipantAnswer)},
            refuses=frozenset({409, 422}),
        )
    }

    def delete(self, request: HttpCall, inbox: str, passname: str) -> Response:
        found = self.operated(inbox)
        left = leave_inbox(inbox=found, passname=passname, operator=self.caller.user.username)
        return Response(participant_shape(left))


class SchemasView(SetupView):
    """What payloads must look like; or set it for a type and topic."""

    grants = {"GET": Grant.INBOX_READ}
    describes = {
        "GET": Operation(
            id="listPayloadSchemas",
            summary="The schemas that payloads are held to, by topic and type.",
            answers={200: Answer("The schemas.", SchemaList)},
        ),
        "PUT": Operation(
            id="setPayloadSchema",
            summary="Hold the payloads of a type and topic to a JSON Schema; owners and operators.",
            answers={200: Answer("The schema.", SchemaAnswer)},
            body=NewSchema,
            refuses=frozenset({422}),
        ),
    }

    def get(self, request: HttpCall, inbox: str) -> Response:
        found = self.readable(inbox)
        rows = PayloadSchema.objects.filter(inbox=found).order_by("topic", "type")
        return Response({"items": [schema_shape(row) for row in rows]})

    def put(self, request: HttpCall, inbox: str) -> Response:
        found = self.operated(inbox)
        value = self.body(NewSchema)
        return Response(
            schema_shape(set_schema(inbox=found, type=value.type, topic=value.topic, schema=value.schema_))
        )


class SchemaView(SetupView):
    """Hold the payloads of a type and topic to nothing any more."""

    describes = {
        "DELETE": Operation(
            id="removePayloadSchema",
            summary="Take the schema of a type and topic away; owners and operators.",
            answers={204: Answer("It is gone.")},
        )
    }

    def delete(self, request: HttpCall, inbox: str, type: str, topic: str) -> Response:
        remove_schema(inbox=self.operated(inbox), type=type, topic=topic)
        return Response(status=204)


def inbox_shape(inbox: Inbox) -> dict[str, Any]:
    """An inbox."""
    return {
        "slug": inbox.slug,
        "duplicateWindow": window_of(inbox),
        "totalMessages": inbox.message_seq,
        "newestSeq": inbox.message_seq,
        "createdAt": clock.to_ms(inbox.created_at),
    }


def participant_shape(place: Participation) -> dict[str, Any]:
    """An actor's place in an inbox."""
    state = actor_state(place.actor)
    shape: dict[str, Any] = {
        "passname": place.actor.passname,
        "displayName": place.actor.display_name,
        "kind": place.actor.kind,
        "state": "left" if place.left_at is not None and state != "retired" else state,
        "joinedAt": clock.to_ms(place.joined_at),
    }
    if place.left_at is not None:
        shape["leftAt"] = clock.to_ms(place.left_at)
    pulled = place.last_pulled_at
    return shape | {
        "lastPulledAt": None if pulled is None else clock.to_ms(pulled),
        "open": place.pending + place.delivered,
    }


def schema_shape(row: PayloadSchema) -> dict[str, Any]:
    """What the payloads of a type and topic must fit."""
    return {
        "type": row.type,
        "topic": row.topic,
        "schema": row.schema,
        "updatedAt": clock.to_ms(row.updated_at),
    }
