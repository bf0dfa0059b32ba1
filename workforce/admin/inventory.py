"""The inventory of seats: what was ever registered here. Its mailboxes are in mailboxes/admin."""

from __future__ import annotations

from django.contrib import admin
from unfold.decorators import display

from workforce.admin.base import ScopedAdmin
from workforce.admin.filters import KindFilter, OrganizationFilter
from workforce.admin.shown import when
from workforce.models import InventoryMembership, InventorySeat


@admin.register(InventorySeat)
class InventorySeatAdmin(ScopedAdmin):
    list_display = ["seat_id", "kind", "hired"]
    list_filter = [OrganizationFilter, KindFilter]
    list_select_related = ["organization"]
    search_fields = ["seat_id"]
    fields = ["seat_id", "kind", "hired_at", "organization_shown"]
    readonly_fields = ["organization_shown"]

    @display(description="hired", ordering="hired_at")
    def hired(self, row: InventorySeat) -> str:
        return when(row.hired_at)


@admin.register(InventoryMembership)
class InventoryMembershipAdmin(ScopedAdmin):
    list_display = ["seat_id", "mailbox_id"]
    list_filter = [OrganizationFilter]
    list_select_related = ["organization"]
    search_fields = ["seat_id", "mailbox_id"]
    search_help_text = "worker or mailbox"
    fields = ["seat_id", "mailbox_id", "organization_shown"]
    readonly_fields = ["organization_shown"]
