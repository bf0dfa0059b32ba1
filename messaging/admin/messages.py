"""Worker messages, as exchanges. Read-only. See docs/admin.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from unfold.decorators import display
from unfold.paginator import InfinitePaginator

from messaging.models import WorkerMessage
from workforce.admin.base import ScopedAdmin
from workforce.admin.filters import OrganizationFilter
from workforce.admin.shown import ago, dated, exact, link_to, page_of, session_name, shortened, when

#: How much of an exchange its page shows.
SHOWN = 200


class SentFilter(admin.SimpleListFilter):
    title = "status"
    parameter_name = "status"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(WorkerMessage.Status.choices)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(status=self.value()) if self.value() in WorkerMessage.Status else queryset


class ShownFilter(admin.SimpleListFilter):
    """An exchange is shown by its first message, unless somebody looks for messages: by words or by status."""

    title = "shown"
    parameter_name = "shown"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("messages", "every message")]

    def choices(self, changelist: Any) -> Iterator[Any]:
        for choice in super().choices(changelist):
            yield (
                choice if choice["query_string"].endswith("=messages") else {**choice, "display": "exchanges"}
            )

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "messages" or request.GET.get("q") or request.GET.get(SentFilter.parameter_name):
            return queryset
        return queryset.filter(reply_to="")


@admin.register(WorkerMessage)
class WorkerMessageAdmin(ScopedAdmin):
    """What workers said to each other, newest first."""

    list_display = ["said", "sent_by", "sent_to", "status_shown", "answers_shown", "owner_shown", "age"]
    list_filter = [OrganizationFilter, SentFilter, ShownFilter]
    list_select_related = ["organization", "owner"]
    search_fields = ["message_id", "exchange", "sender", "recipient"]
    search_help_text = "a message's or exchange's id, or a worker"
    ordering = ["-pk"]
    sortable_by: ClassVar[list[str]] = []
    paginator = InfinitePaginator
    fields = [
        "message_id", "sender", "recipient", "status_shown", "reason", "hop", "came_by", "owner_shown",
        "sent_from", "landed_in", "sent",
    ]  # fmt: skip
    readonly_fields = ["status_shown", "came_by", "owner_shown", "sent_from", "landed_in", "sent"]
    change_form_outer_before_template = "admin/messaging/exchange.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[WorkerMessage]:
        rows = super().get_queryset(request).select_related("organization", "owner")
        exchange = WorkerMessage.objects.filter(exchange=OuterRef("exchange")).order_by().values("exchange")
        count = Subquery(exchange.annotate(count=Count("pk")).values("count"))
        return rows.select_related("from_session", "to_session").annotate(in_exchange=count)

    @display(description="message")
    def said(self, message: WorkerMessage) -> str:
        return shortened(message.text, 100)

    @display(description="sender")
    def sent_by(self, message: WorkerMessage) -> str:
        return shortened(message.sender, 40)

    @display(description="recipient")
    def sent_to(self, message: WorkerMessage) -> str:
        return shortened(message.recipient, 40)

    @display(
        description="status", label={"delivered": "success", "refused": "danger", "unconfirmed": "warning"}
    )
    def status_shown(self, message: WorkerMessage) -> str:
        return message.status

    @display(description="in its exchange")
    def answers_shown(self, message: Any) -> str:
        return f"{message.in_exchange} message{'' if message.in_exchange == 1 else 's'}"

    @display(description="age")
    def age(self, message: WorkerMessage) -> str:
        return when(message.at)

    @display(description="came by")
    def came_by(self, message: WorkerMessage) -> str:
        return "the final text of a turn" if message.automatic else "the tool"

    @display(description="user")
    def owner_shown(self, message: WorkerMessage) -> str:
        return message.owner.username

    @display(description="sent from")
    def sent_from(self, message: WorkerMessage) -> str:
        session = message.from_session
        return link_to(session, session_name(session) if session else None)

    @display(description="landed in")
    def landed_in(self, message: WorkerMessage) -> str:
        session = message.to_session
        return link_to(session, session_name(session) if session else None)

    @display(description="sent")
    def sent(self, message: WorkerMessage) -> str:
        return dated(message.at)

    def page_context(self, request: HttpRequest, row: WorkerMessage) -> dict[str, Any]:
        """The exchange that the message belongs to, oldest first."""
        rows = self.get_queryset(request).filter(exchange=row.exchange, owner_id=row.owner_id).order_by("pk")
        return {
            "title": f"{row.sender} to {row.recipient}",
            "exchange": [_line(message, row) for message in rows[:SHOWN]],
        }


def _line(message: WorkerMessage, shown: WorkerMessage) -> dict[str, Any]:
    return {
        "message": message,
        "is_this": message.pk == shown.pk,
        "url": page_of(message),
        "from_url": page_of(message.from_session) if message.from_session else "",
        "to_url": page_of(message.to_session) if message.to_session else "",
        "exact": exact(message.at),
        "ago": ago(message.at),
    }
