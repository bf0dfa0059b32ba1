"""Sessions of any kind, with their items and runs. Read-only. See docs/admin.md."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.decorators import display

from workforce.admin.base import ScopedAdmin
from workforce.admin.conversations import conversation_rows, mailbox_pages, run_rows
from workforce.admin.filters import KindFilter, OrganizationFilter
from workforce.admin.live import LiveMixin, live_context
from workforce.admin.paging import seq_page
from workforce.admin.shown import block, dated, json_block, link_to, when
from workforce.admin.talk import talk_rows
from workforce.models import Item, Request, Session


class TopFilter(admin.SimpleListFilter):
    """Conversations that work opened below others are many, and rarely what is looked for."""

    title = "place"
    parameter_name = "place"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("top", "opened by a caller"), ("below", "below another session")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Session]) -> QuerySet[Session]:
        if self.value() not in ("top", "below"):
            return queryset
        return queryset.filter(parent__isnull=self.value() == "top")


@admin.register(Session)
class SessionAdmin(LiveMixin, ScopedAdmin):
    """Sessions, newest first."""

    allowed_lookups = ("seat__id__exact",)
    list_display = ["address", "kind", "owner", "seat_shown", "parent_shown", "items_shown", "updated"]
    list_filter = [OrganizationFilter, KindFilter, TopFilter]
    list_select_related = ["owner", "organization", "seat", "parent"]
    search_fields = ["address", "title", "owner__username"]
    search_help_text = "id, title or user"
    ordering = ["-pk"]
    sortable_by: ClassVar[list[str]] = []
    fieldsets = [
        (
            None,
            {
                "fields": [
                    "address", "kind", "owner_shown", "organization_shown", "seat_shown", "parent_shown", "topic",
                    "title", "description_shown", "tags_shown", "created", "updated_dated",
                ]
            },
        ),
        ("What it keeps", {"fields": ["state_shown", "metadata_shown"], "classes": ["collapse"]}),
    ]  # fmt: skip
    readonly_fields = [
        "owner_shown", "organization_shown", "seat_shown", "parent_shown", "description_shown", "tags_shown",
        "created", "updated_dated", "state_shown", "metadata_shown",
    ]  # fmt: skip
    change_form_outer_before_template = "admin/workforce/session_items.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Session]:
        return super().get_queryset(request).select_related("owner", "organization", "seat", "parent")

    @display(description="owner")
    def owner_shown(self, session: Session) -> str:
        return session.owner.username

    @display(description="seat")
    def seat_shown(self, session: Session) -> str:
        return link_to(session.seat)

    @display(description="below")
    def parent_shown(self, session: Session) -> str:
        return link_to(session.parent)

    @display(description="items")
    def items_shown(self, session: Session) -> int:
        return session.item_seq

    @display(description="updated")
    def updated(self, session: Session) -> str:
        return when(session.updated_at)

    @display(description="description")
    def description_shown(self, session: Session) -> str:
        return block(session.description)

    @display(description="tags")
    def tags_shown(self, session: Session) -> str:
        return ", ".join(map(str, session.tags))

    @display(description="made")
    def created(self, session: Session) -> str:
        return dated(session.created_at)

    @display(description="updated")
    def updated_dated(self, session: Session) -> str:
        return dated(session.updated_at)

    @display(description="state")
    def state_shown(self, session: Session) -> str:
        return json_block(session.state)

    @display(description="metadata")
    def metadata_shown(self, session: Session) -> str:
        return json_block(session.metadata)

    def page_context(self, request: HttpRequest, row: Session) -> dict[str, Any]:
        items = Item.objects.filter(session=row)
        page = seq_page(request, items, column="seq", last=row.item_seq)
        return {
            **live_context(row, is_newest=page.is_newest),
            "mailbox_url": mailbox_pages([row]).get(row.pk),
            "page": page,
            "talk": talk_rows(page.rows),
            "runs": run_rows(Request.objects.filter(session=row).order_by("-id")),
            "conversations": conversation_rows(row.children.all()),
        }
