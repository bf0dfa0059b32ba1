"""What happened in an inbox, and whose keys were refused."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from messaging.inbox.models import CredentialIncident, Inbox, InboxEvent, Message, Participation


def events_of(inbox: Inbox) -> QuerySet[InboxEvent]:
    """The events of an inbox."""
    return InboxEvent.objects.filter(inbox=inbox).order_by()


def events_of_message(message: Message) -> QuerySet[InboxEvent]:
    """The events of a message."""
    return InboxEvent.objects.filter(message=message).order_by()


def incidents_of(inbox: Inbox) -> QuerySet[CredentialIncident]:
    """Refused calls with keys of those who take or took part, and with keys that nobody has."""
    takes_part = Participation.objects.filter(inbox=inbox).values("actor")
    return CredentialIncident.objects.filter(
        Q(actor__isnull=True) | Q(actor__in=takes_part), organization_id=inbox.organization_id
    ).select_related("actor")
