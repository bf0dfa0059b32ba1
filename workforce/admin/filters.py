"""Filters of the lists. None reads a whole column for its choices."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest

from workforce import clock
from workforce.admin.access import visible_organizations
from workforce.admin.bounded import unfinished
from workforce.kinds import registered_kinds
from workforce.models import Request

Choices = Iterable[tuple[str, str]]


class OrganizationFilter(SimpleListFilter):
    """For those who see several organizations; ``path`` leads from a row to its own."""

    title = "organization"
    parameter_name = "organization"
    path = "organization"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        slugs = visible_organizations(request).values_list("slug", flat=True)[:200]
        choices = [(slug, slug) for slug in slugs]
        return choices if len(choices) > 1 else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(**{f"{self.path}__slug": self.value()}) if self.value() else queryset


def organization_filter(at: str) -> type[OrganizationFilter]:
    """The organization filter for rows that are further away from their organization."""
    return type("OrganizationFilter", (OrganizationFilter,), {"path": at})


class KindFilter(SimpleListFilter):
    """The kinds that are registered."""

    title = "kind"
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        return [(name, name) for name in sorted(registered_kinds())]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(kind=self.value()) if self.value() else queryset


class RetiredFilter(SimpleListFilter):
    title = "standing"
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        return [("here", "on the roster"), ("retired", "retired")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in ("here", "retired"):
            return queryset
        return queryset.filter(retired_at__isnull=self.value() == "here")


class StatusFilter(SimpleListFilter):
    """One status, or everything that is not done yet."""

    title = "status"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        return [("unfinished", "not done yet"), *Request.Status.choices]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "unfinished":
            return unfinished(queryset)
        return queryset.filter(status=self.value()) if self.value() else queryset


class SourceFilter(SimpleListFilter):
    title = "source"
    parameter_name = "source"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        return Request.Source.choices

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(source=self.value()) if self.value() else queryset


class ActionFilter(SimpleListFilter):
    """The actions and internal entries that the registered kinds declare."""

    title = "action"
    parameter_name = "action"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        names = {name for kind in registered_kinds().values() for name in kind.actions}
        return [(name, name) for name in sorted(names)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(action=self.value()) if self.value() else queryset


class EndedFilter(SimpleListFilter):
    title = "ended"
    parameter_name = "ended"
    spans = {"1": timedelta(hours=1), "24": timedelta(hours=24), "168": timedelta(days=7)}

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        return [("1", "in the last hour"), ("24", "in the last 24 hours"), ("168", "in the last 7 days")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        span = self.spans.get(self.value() or "")
        return queryset if span is None else queryset.filter(ended_at__gte=clock.now() - span)
