"""The filters of the lists."""

from __future__ import annotations

from typing import Any

import django_filters
from django.db.models import Q, QuerySet

from workforce.errors import InvalidInput
from workforce.models import Item, Request, Seat, Session


class SessionFilters(django_filters.FilterSet):
    """Sessions by kind, and by words of id, title and description."""

    flowKind = django_filters.CharFilter(field_name="kind", max_length=64)
    q = django_filters.CharFilter(method="search", max_length=200)

    class Meta:
        model = Session
        fields: list[str] = []

    def search(self, rows: QuerySet[Session], name: str, value: str) -> QuerySet[Session]:
        for word in value.split():
            rows = rows.filter(
                Q(address__icontains=word) | Q(title__icontains=word) | Q(description__icontains=word)
            )
        return rows


class RequestFilters(django_filters.FilterSet):
    """Requests by status."""

    status = django_filters.ChoiceFilter(choices=Request.Status.choices)

    class Meta:
        model = Request
        fields: list[str] = []


class _Types(django_filters.BaseInFilter, django_filters.ChoiceFilter):
    """A comma-separated list of item types."""

    def filter(self, qs: QuerySet[Item], value: list[str] | None) -> QuerySet[Item]:
        if value and "" in value:
            raise InvalidInput.at("types", "has an empty part; leave the comma out")
        return super().filter(qs, value)


class ItemFilters(django_filters.FilterSet):
    """Items by type and component."""

    types = _Types(field_name="type", choices=Item.Type.choices)
    component = django_filters.CharFilter(max_length=64)

    class Meta:
        model = Item
        fields: list[str] = []


class SeatFilters(django_filters.FilterSet):
    """Workers by kind, and by words of id and description."""

    flowKind = django_filters.CharFilter(field_name="kind", max_length=64)
    q = django_filters.CharFilter(method="search", max_length=200)

    class Meta:
        model = Seat
        fields: list[str] = []

    def search(self, rows: QuerySet[Any], name: str, value: str) -> QuerySet[Any]:
        for word in value.split():
            rows = rows.filter(Q(seat_id__icontains=word) | Q(description__icontains=word))
        return rows
