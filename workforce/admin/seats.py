"""The roster: who is hired, with what. Read-only: files and their owners decide. See docs/admin.md."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.decorators import display

from workforce.admin.base import ScopedAdmin
from workforce.admin.conversations import conversation_rows
from workforce.admin.filters import KindFilter, OrganizationFilter, RetiredFilter
from workforce.admin.shown import block, dated, json_block, page_of, shortened, when
from workforce.models import InventoryMailbox, InventoryMembership, Seat

#: How many mailboxes a seat's page lists.
MAILBOXES_SHOWN = 100


class WhoseFilter(admin.SimpleListFilter):
    title = "hired by"
    parameter_name = "whose"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("standard", "the tree"), ("own", "a user")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Seat]) -> QuerySet[Seat]:
        if self.value() not in ("standard", "own"):
            return queryset
        return queryset.filter(owner__isnull=self.value() == "standard")


@admin.register(Seat)
class SeatAdmin(ScopedAdmin):
    """Seats with their descriptions, and on their page what they are made of and where they work."""

    list_display = ["seat_id", "kind", "described", "whose", "standing", "hired"]
    list_filter = [OrganizationFilter, KindFilter, WhoseFilter, RetiredFilter]
    list_select_related = ["owner", "organization"]
    search_fields = ["seat_id", "description"]
    search_help_text = "id or description"
    ordering = ["seat_id", "pk"]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    "seat_id", "kind", "whose", "standing", "organization_shown", "description_shown",
                    "hired_dated", "changed", "retired",
                ]
            },
        ),
        ("Instructions", {"fields": ["team_instructions_shown", "instructions_shown"]}),
        ("Settings", {"fields": ["settings_shown"]}),
    ]  # fmt: skip
    readonly_fields = [
        "whose", "standing", "organization_shown", "description_shown", "hired_dated", "changed", "retired",
        "team_instructions_shown", "instructions_shown", "settings_shown",
    ]  # fmt: skip
    change_form_outer_after_template = "admin/workforce/seat_places.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Seat]:
        return super().get_queryset(request).select_related("owner", "organization")

    @display(description="description")
    def described(self, seat: Seat) -> str:
        return shortened(seat.description)

    @display(description="hired by", ordering="owner__username")
    def whose(self, seat: Seat) -> str:
        return seat.owner.username if seat.owner else "the tree"

    @display(description="standing", label={"on the roster": "success", "retired": "warning"})
    def standing(self, seat: Seat) -> str:
        return "on the roster" if seat.retired_at is None else "retired"

    @display(description="hired", ordering="hired_at")
    def hired(self, seat: Seat) -> str:
        return when(seat.hired_at)

    @display(description="description")
    def description_shown(self, seat: Seat) -> str:
        return block(seat.description)

    @display(description="hired")
    def hired_dated(self, seat: Seat) -> str:
        return dated(seat.hired_at)

    @display(description="changed")
    def changed(self, seat: Seat) -> str:
        return dated(seat.changed_at)

    @display(description="retired")
    def retired(self, seat: Seat) -> str:
        return dated(seat.retired_at)

    @display(description="of the team")
    def team_instructions_shown(self, seat: Seat) -> str:
        return block(seat.team_instructions)

    @display(description="its own")
    def instructions_shown(self, seat: Seat) -> str:
        return block(seat.instructions)

    @display(description="settings")
    def settings_shown(self, seat: Seat) -> str:
        return json_block(seat.settings)

    def page_context(self, request: HttpRequest, row: Seat) -> dict[str, Any]:
        places = InventoryMembership.objects.filter(organization=row.organization, seat_id=row.seat_id)
        ids = list(places.values_list("mailbox_id", flat=True)[:MAILBOXES_SHOWN])
        open_ones = InventoryMailbox.objects.filter(organization=row.organization, mailbox_id__in=ids)
        return {
            "mailboxes": [{"id": box.mailbox_id, "url": page_of(box)} for box in open_ones],
            "conversations": conversation_rows(row.sessions.all()),
        }
