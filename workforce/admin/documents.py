"""Documents that seats can read. Read-only: they come from the tree."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from unfold.decorators import display

from workforce.admin.base import ScopedAdmin
from workforce.admin.filters import OrganizationFilter, RetiredFilter
from workforce.admin.shown import block, dated, shortened, when
from workforce.models import Document


@admin.register(Document)
class DocumentAdmin(ScopedAdmin):
    """Documents of the organization and of its teams."""

    list_display = ["document_id", "team_shown", "described", "standing", "changed"]
    list_filter = [OrganizationFilter, RetiredFilter]
    list_select_related = ["organization"]
    search_fields = ["document_id", "description"]
    search_help_text = "id or description"
    fields = [
        "document_id",
        "team_shown",
        "standing",
        "description",
        "body_shown",
        "changed_dated",
        "organization_shown",
    ]
    readonly_fields = ["organization_shown", "team_shown", "standing", "body_shown", "changed_dated"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Document]:
        return super().get_queryset(request).select_related("organization")

    @display(description="for", ordering="team")
    def team_shown(self, document: Document) -> str:
        return document.team or "everybody"

    @display(description="description")
    def described(self, document: Document) -> str:
        return shortened(document.description)

    @display(description="standing", label={"in use": "success", "retired": "warning"})
    def standing(self, document: Document) -> str:
        return "in use" if document.retired_at is None else "retired"

    @display(description="text")
    def body_shown(self, document: Document) -> str:
        return block(document.body)

    @display(description="changed", ordering="changed_at")
    def changed(self, document: Document) -> str:
        return when(document.changed_at)

    @display(description="changed")
    def changed_dated(self, document: Document) -> str:
        return dated(document.changed_at)
