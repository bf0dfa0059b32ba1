"""The filters of the log."""

from __future__ import annotations

import django_filters
from django.db.models import Q, QuerySet

from messaging.models import WorkerMessage


class MessageFilters(django_filters.FilterSet):
    """Messages from or to a worker, of one exchange, by status, since a moment, and by words of the text."""

    worker = django_filters.CharFilter(method="of_worker", max_length=130)
    exchange = django_filters.CharFilter(max_length=24)
    status = django_filters.ChoiceFilter(choices=WorkerMessage.Status.choices)
    q = django_filters.CharFilter(method="search", max_length=200)

    class Meta:
        model = WorkerMessage
        fields: list[str] = []

    def of_worker(self, rows: QuerySet[WorkerMessage], name: str, value: str) -> QuerySet[WorkerMessage]:
        return rows.filter(Q(sender=value) | Q(recipient=value))

    def search(self, rows: QuerySet[WorkerMessage], name: str, value: str) -> QuerySet[WorkerMessage]:
        for word in value.split():
            rows = rows.filter(text__icontains=word)
        return rows
