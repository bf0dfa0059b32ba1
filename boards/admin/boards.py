"""Boards, read-only: mailboxes hold them, and files decide which."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.decorators import display

from boards.models import Board
from workforce.admin.base import ScopedAdmin
from workforce.admin.filters import OrganizationFilter
from workforce.admin.shown import when


class HeldFilter(admin.SimpleListFilter):
    title = "held"
    parameter_name = "held"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "a file holds it today"), ("no", "left the tree")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(live=self.value() == "yes") if self.value() in ("yes", "no") else queryset


@admin.register(Board)
class BoardAdmin(ScopedAdmin):
    list_display = ["board_id", "mailbox_id", "name", "tools", "held", "made"]
    list_filter = [OrganizationFilter, HeldFilter]
    list_select_related = ["organization"]
    search_fields = ["board_id"]
    search_help_text = "id"
    fields = ["board_id", "mailbox_id", "name", "tools", "held", "made", "organization_shown"]
    readonly_fields = ["organization_shown", "tools", "held", "made"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Board]:
        return super().get_queryset(request).select_related("organization")

    @display(description="tools as actions", boolean=True)
    def tools(self, board: Board) -> bool:
        return board.actions

    @display(description="held", label={"held": "success", "left the tree": "warning"})
    def held(self, board: Board) -> str:
        return "held" if board.live else "left the tree"

    @display(description="made", ordering="created_at")
    def made(self, board: Board) -> str:
        return when(board.created_at)
