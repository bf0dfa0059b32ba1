"""The audit over REST: events and incidents."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from messaging.inbox.api.filters import EventFilters
from messaging.inbox.api.pages import seq_page
from messaging.inbox.api.paths import message_id
from messaging.inbox.api.schemas import InboxEventPage, IncidentPage
from messaging.inbox.api.views import InboxView
from messaging.inbox.models import CredentialIncident, InboxEvent
from messaging.inbox.selectors.audit import events_of, events_of_message, incidents_of
from messaging.inbox.selectors.messages import access_message
from messaging.inbox.services.incidents import write_counted
from messaging.inbox.shapes import event_shape
from workforce import clock
from workforce.api.paging import filter_strictly
from workforce.api.schemas.operations import Answer, Operation
from workforce.models import Grant

_FILTERS = {"kind": {"type": "string", "enum": list(InboxEvent.Kind.values)}}


class EventsView(InboxView):
    """What happened in the inbox, newest first."""

    grants = {"GET": Grant.INBOX_READ}
    query = {"GET": frozenset({"limit", "cursor", "kind", "passname"})}
    describes = {
        "GET": Operation(
            id="listInboxEvents",
            summary="What happened in the inbox, newest first.",
            answers={200: Answer("A page of events.", InboxEventPage)},
            query=_FILTERS,
        )
    }

    def get(self, request: HttpCall, inbox: str) -> Response:
        hand = self.hand(inbox)
        rows = filter_strictly(EventFilters, request.query_params, events_of(hand.inbox))
        found, more = seq_page(
            rows,
            scope=f"events:{hand.inbox.pk}",
            limit=self.limit(default=50, maximum=200),
            cursor=self.cursor,
            ascending=False,
            by="id",
        )
        return Response(_page([event_shape(event) for event in found], more))


class MessageEventsView(InboxView):
    """What happened to a message, in order."""

    grants = {"GET": Grant.INBOX_READ}
    query = {"GET": frozenset({"limit", "cursor", "kind", "passname"})}
    describes = {
        "GET": Operation(
            id="listMessageEvents",
            summary="What happened to a message, in order.",
            answers={200: Answer("A page of events.", InboxEventPage)},
            query=_FILTERS,
        )
    }

    def get(self, request: HttpCall, inbox: str, message: str) -> Response:
        hand = self.hand(inbox)
        found = access_message(hand.inbox, message_id(message))
        rows = filter_strictly(EventFilters, request.query_params, events_of_message(found))
        events, more = seq_page(
            rows,
            scope=f"events:{found.pk}",
            limit=self.limit(default=50, maximum=200),
            cursor=self.cursor,
            ascending=True,
            by="id",
        )
        return Response(_page([event_shape(event) for event in events], more))


class IncidentsView(InboxView):
    """Refused calls with keys of this inbox's participants, newest first."""

    grants = {"GET": Grant.INBOX_READ}
    query = {"GET": frozenset({"limit", "cursor"})}
    describes = {
        "GET": Operation(
            id="listIncidents",
            summary="Calls that were refused for their key, counted by prefix, reason and minute, newest first.",
            answers={200: Answer("A page of incidents.", IncidentPage)},
        )
    }

    def get(self, request: HttpCall, inbox: str) -> Response:
        hand = self.hand(inbox)
        limit = self.limit(default=50, maximum=200)
        write_counted()
        found, more = seq_page(
            incidents_of(hand.inbox),
            scope=f"incidents:{hand.inbox.pk}",
            limit=limit,
            cursor=self.cursor,
            ascending=False,
            by="id",
        )
        return Response(_page([_incident(incident) for incident in found], more))


def _incident(incident: CredentialIncident) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "prefix": incident.prefix,
        "reason": incident.reason,
        "at": clock.to_ms(incident.minute),
        "count": incident.count,
    }
    return shape | ({"passname": incident.actor.passname} if incident.actor else {})


def _page(items: list[dict[str, Any]], more: str | None) -> dict[str, Any]:
    return {"items": items} | ({"nextCursor": more} if more else {})
