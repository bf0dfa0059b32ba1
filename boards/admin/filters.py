"""Filters of the list of rows. None reads the table of rows for its choices."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import SimpleListFilter
from django.db.models import QuerySet
from django.http import HttpRequest

from boards.admin.columns import COLUMNS, STATUS_WORDS, column_named
from boards.admin.page import AGES
from boards.models import Board
from workforce import clock
from workforce.admin.access import within
from workforce.admin.filters import Choices


class MailboxFilter(SimpleListFilter):
    """The mailboxes that hold boards."""

    title = "mailbox"
    parameter_name = "mailbox"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        boards = within(request, Board.objects.exclude(mailbox_id=""), "organization")
        ids = boards.order_by("mailbox_id").values_list("mailbox_id", flat=True).distinct()[:200]
        return [(mailbox_id, mailbox_id) for mailbox_id in ids]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if not self.value():
            return queryset
        # Keys, not a join: then the database knows whether they are most of its rows or few.
        boards = within(request, Board.objects.filter(mailbox_id=self.value()), "organization")
        return queryset.filter(board__in=list(boards.order_by().values_list("pk", flat=True)))


class TaskStatusFilter(SimpleListFilter):
    """A column of the board, or one status."""

    title = "status"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        columns = [(column.name, column.title) for column in COLUMNS if len(column.statuses) > 1]
        return [*columns, *STATUS_WORDS.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        column = column_named(value or "")
        if column:
            return queryset.filter(status__in=column.statuses)
        return queryset.filter(status=value) if value in STATUS_WORDS else queryset


class AssignedFilter(SimpleListFilter):
    """Whether a row is routed to somebody."""

    title = "assigned"
    parameter_name = "assigned"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        return [("no", "to nobody yet"), ("yes", "to a worker")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in ("no", "yes"):
            return queryset
        return queryset.filter(assignee="") if self.value() == "no" else queryset.exclude(assignee="")


class AgeFilter(SimpleListFilter):
    title = "age"
    parameter_name = "age"

    def lookups(self, request: HttpRequest, model_admin: Any) -> Choices:
        return [(name, words) for name, (words, _, _) in AGES.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() not in AGES:
            return queryset
        _, span, older = AGES[self.value() or ""]
        return queryset.filter(**{"created_at__lte" if older else "created_at__gt": clock.now() - span})
