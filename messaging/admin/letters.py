"""The messages of inboxes: the list, and each one's page with its receipts and its thread. See docs/admin.md."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.urls import URLPattern, path
from unfold.decorators import display
from unfold.paginator import InfinitePaginator

from boards.admin.base import ActedAdmin
from messaging.admin.letterpage import letter_context
from messaging.admin.ownacts import act_as_oneself
from messaging.inbox.models import Inbox, Message
from messaging.inbox.receipts import Type
from workforce.admin.access import within
from workforce.admin.filters import organization_filter
from workforce.admin.shown import page_of, shortened, storable, when
from workforce.errors import DomainError


class InboxFilter(admin.SimpleListFilter):
    title = "inbox"
    parameter_name = "inbox"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        rows = within(request, Inbox.objects.order_by("slug"), "organization")[:200]
        return [(str(inbox.pk), inbox.slug) for inbox in rows]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value() or ""
        if not (value.isascii() and value.isdigit() and len(value) < 19):
            return queryset
        return queryset.filter(inbox=int(value)).order_by("-seq")


class TypeFilter(admin.SimpleListFilter):
    title = "type"
    parameter_name = "type"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(type.value, type.value) for type in Type]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(type=self.value()) if self.value() else queryset


class StandFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("unsettled", "open requests"), ("open", "open for somebody"), ("done", "closed by all")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "unsettled":
            return queryset.filter(Message.IS_OPEN_REQUEST)
        if self.value() == "open":
            return queryset.filter(open_receipts__gt=0)
        return queryset.filter(open_receipts=0) if self.value() == "done" else queryset


@admin.register(Message)
class MessageAdmin(ActedAdmin):
    """Messages, newest first."""

    organization_path = "inbox__organization"
    page_template = "admin/messaging/message.html"
    list_display = ["said", "type", "topic", "sender_shown", "inbox_shown", "number", "stand", "age"]
    list_filter = [organization_filter("inbox__organization"), InboxFilter, TypeFilter, StandFilter]
    # The search is by id or topic; what it may look for is in get_search_results.
    search_fields = ["topic"]
    search_help_text = "a message's or thread's id, or a topic"
    # In the order of their making: the ids grow with time.
    ordering = ["-pk"]
    sortable_by: ClassVar[list[str]] = []
    paginator = InfinitePaginator

    def get_queryset(self, request: HttpRequest) -> QuerySet[Message]:
        rows = super().get_queryset(request).defer(*Message.HEAVY)
        return rows.select_related("inbox__organization", "sender")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """By id, or by the whole topic: nothing else is indexed across inboxes."""
        term = search_term.strip()
        if not term or "\x00" in term:
            return queryset, False
        try:
            found = Q(pk=UUID(term)) | Q(thread_id=UUID(term))
        except ValueError:
            found = Q(topic=term[:64].lower())
        return queryset.filter(found), False

    @display(description="message")
    def said(self, message: Message) -> str:
        return "(taken away)" if message.removed_at else storable(shortened(message.excerpt, 90))

    @display(description="sender")
    def sender_shown(self, message: Message) -> str:
        return message.sender.passname

    @display(description="inbox")
    def inbox_shown(self, message: Message) -> str:
        return message.inbox.slug

    @display(description="no.")
    def number(self, message: Message) -> int:
        return message.seq

    @display(description="closed")
    def stand(self, message: Message) -> str:
        return f"{message.recipient_count - message.open_receipts} of {message.recipient_count}"

    @display(description="age")
    def age(self, message: Message) -> Any:
        return when(message.created_at)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.own_view)
        return [path("<uuid:object_id>/own/", view, name="messaging_message_own"), *super().get_urls()]

    def shown(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """The message, its receipts, its thread and its events."""
        return self.site_context(
            request, title=f"{row.type} {row.seq}", original=row, **letter_context(request, row)
        )

    def own_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """What the caller's own actor does with the message: its receipt, or closing what it sent."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        row = self.row_of(request, object_id)
        try:
            words = act_as_oneself(request, row)
        except DomainError as refusal:
            messages.error(request, storable(f"{refusal.words} ({refusal.code})"))
        else:
            self.log_change(request, row, words)
            messages.success(request, words)
        return redirect(page_of(row))
