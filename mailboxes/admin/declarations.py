"""Declarations and the room template: what the files of the last load say. Read-only. See docs/admin.md."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.decorators import display

from mailboxes.models import Declaration, RoomTemplate
from workforce.admin.base import ScopedAdmin
from workforce.admin.filters import OrganizationFilter
from workforce.admin.shown import NOTHING, block, dated, shortened, when


class LiveFilter(admin.SimpleListFilter):
    title = "file"
    parameter_name = "file"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("live", "in the tree"), ("gone", "left the tree"), ("template", "a room template")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "template":
            return queryset.filter(is_template=True)
        return queryset.filter(live=self.value() == "live") if self.value() in ("live", "gone") else queryset


@admin.register(Declaration)
class DeclarationAdmin(ScopedAdmin):
    """Mailboxes as their files declare them."""

    list_display = [
        "mailbox_id",
        "kind",
        "described",
        "members_count",
        "boards_shown",
        "fallback",
        "file",
        "loaded",
    ]
    list_filter = [OrganizationFilter, LiveFilter]
    list_select_related = ["organization"]
    search_fields = ["mailbox_id", "description"]
    search_help_text = "id or description"
    fieldsets = [
        ("Settled at opening", {"fields": ["kind", "description", "members_shown", "charter_shown"]}),
        (
            "Settled at every load",
            {"fields": ["boards_shown", "fallback", "board_actions", "is_template", "file"]},
        ),
        (None, {"fields": ["organization_shown", "loaded_dated"]}),
    ]
    readonly_fields = [
        "organization_shown",
        "members_shown",
        "charter_shown",
        "boards_shown",
        "file",
        "loaded_dated",
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Declaration]:
        return super().get_queryset(request).select_related("organization")

    @display(description="description")
    def described(self, row: Declaration) -> str:
        return shortened(row.description)

    @display(description="members")
    def members_count(self, row: Declaration) -> int:
        return len(row.members)

    @display(description="members")
    def members_shown(self, row: Declaration) -> str:
        return ", ".join(row.members) or NOTHING

    @display(description="charter")
    def charter_shown(self, row: Declaration) -> str:
        return block(row.charter)

    @display(description="boards")
    def boards_shown(self, row: Declaration) -> str:
        return ", ".join(row.boards) or NOTHING

    @display(
        description="file",
        label={"in the tree": "success", "left the tree": "danger", "room template": "info"},
    )
    def file(self, row: Declaration) -> str:
        if not row.live:
            return "left the tree"
        return "room template" if row.is_template else "in the tree"

    @display(description="loaded", ordering="loaded_at")
    def loaded(self, row: Declaration) -> str:
        return when(row.loaded_at)

    @display(description="loaded")
    def loaded_dated(self, row: Declaration) -> str:
        return dated(row.loaded_at)


@admin.register(RoomTemplate)
class RoomTemplateAdmin(ScopedAdmin):
    """What every project's room is built from."""

    list_display = ["site", "seats_shown", "loaded"]
    list_select_related = ["organization"]
    ordering = ["organization__slug"]
    fields = ["site", "seats_shown", "charter_shown", "organization_shown", "loaded_dated"]
    readonly_fields = ["organization_shown", "seats_shown", "charter_shown", "loaded_dated"]

    @display(description="seats")
    def seats_shown(self, row: RoomTemplate) -> str:
        return ", ".join(row.seats) or NOTHING

    @display(description="charter")
    def charter_shown(self, row: RoomTemplate) -> str:
        return block(row.charter)

    @display(description="loaded", ordering="loaded_at")
    def loaded(self, row: RoomTemplate) -> str:
        return when(row.loaded_at)

    @display(description="loaded")
    def loaded_dated(self, row: RoomTemplate) -> str:
        return dated(row.loaded_at)
