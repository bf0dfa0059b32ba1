"""The filters of queues, sent messages, searches and events."""

from __future__ import annotations

import django_filters
from django.db.models import QuerySet

from messaging.inbox.api.instants import read_instant
from messaging.inbox.models import InboxEvent, Message, Receipt
from messaging.inbox.models.messages import STATES, TYPES
from messaging.inbox.selectors.searching import narrow_by_words


class QueueFilters(django_filters.FilterSet):
    """Open receipts by what the message is and who sent it; all of it is in the receipt's own index."""

    type = django_filters.ChoiceFilter(choices=TYPES)
    topic = django_filters.CharFilter(max_length=64)
    sender = django_filters.CharFilter(method="sent_by", max_length=64)

    class Meta:
        model = Receipt
        fields: list[str] = []

    def sent_by(self, rows: QuerySet[Receipt], name: str, value: str) -> QuerySet[Receipt]:
        return rows.filter(sender__passname=value.lower())


class SentFilters(django_filters.FilterSet):
    """One's own sent messages by type and topic; ``open`` is only checked here."""

    type = django_filters.ChoiceFilter(choices=TYPES)
    topic = django_filters.CharFilter(max_length=64)
    open = django_filters.ChoiceFilter(choices=[("true", "true"), ("false", "false")], method="asked")

    class Meta:
        model = Message
        fields: list[str] = []

    def asked(self, rows: QuerySet[Message], name: str, value: str) -> QuerySet[Message]:
        return rows


class SearchFilters(django_filters.FilterSet):
    """Messages by topic, type, sender, time and words; ``status`` is the caller's own, and only checked here."""

    type = django_filters.ChoiceFilter(choices=TYPES)
    topic = django_filters.CharFilter(max_length=64)
    sender = django_filters.CharFilter(method="sent_by", max_length=64)
    since = django_filters.CharFilter(method="sent_since", max_length=64)
    until = django_filters.CharFilter(method="sent_until", max_length=64)
    status = django_filters.ChoiceFilter(choices=STATES, method="asked")
    q = django_filters.CharFilter(method="with_words", max_length=200, strip=False)

    class Meta:
        model = Message
        fields: list[str] = []

    def asked(self, rows: QuerySet[Message], name: str, value: str) -> QuerySet[Message]:
        return rows

    def sent_by(self, rows: QuerySet[Message], name: str, value: str) -> QuerySet[Message]:
        return rows.filter(sender__passname=value.lower())

    def sent_since(self, rows: QuerySet[Message], name: str, value: str) -> QuerySet[Message]:
        return rows.filter(created_at__gte=read_instant(name, value))

    def sent_until(self, rows: QuerySet[Message], name: str, value: str) -> QuerySet[Message]:
        return rows.filter(created_at__lt=read_instant(name, value))

    def with_words(self, rows: QuerySet[Message], name: str, value: str) -> QuerySet[Message]:
        return narrow_by_words(rows, value)


class EventFilters(django_filters.FilterSet):
    """Events by kind and by whom they name."""

    kind = django_filters.ChoiceFilter(choices=InboxEvent.Kind.choices)
    passname = django_filters.CharFilter(max_length=64, method="named")

    class Meta:
        model = InboxEvent
        fields: list[str] = []

    def named(self, rows: QuerySet[InboxEvent], name: str, value: str) -> QuerySet[InboxEvent]:
        return rows.filter(passname=value.lower())
