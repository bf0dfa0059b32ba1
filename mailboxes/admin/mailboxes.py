"""Mailboxes: the list, and the page that reads like a conversation. Read-only. See docs/admin.md."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.template.response import TemplateResponse
from unfold.decorators import display

from mailboxes.admin.conversation import conversation_context
from mailboxes.admin.places import places_of
from mailboxes.kind import BaseMailboxKind
from mailboxes.models import Declaration
from workforce.admin.base import ScopedAdmin, ScopedChangeList
from workforce.admin.filters import KindFilter, OrganizationFilter
from workforce.admin.shown import NOTHING, when
from workforce.kinds import registered_kinds
from workforce.models import InventoryMailbox


class MailboxKindFilter(KindFilter):
    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        kinds = registered_kinds().items()
        return [(name, name) for name, kind in sorted(kinds) if isinstance(kind, BaseMailboxKind)]


def _declared(queryset: QuerySet[Any], **facts: Any) -> Exists:
    return Exists(
        Declaration.objects.filter(
            organization=OuterRef("organization"), mailbox_id=OuterRef("mailbox_id"), live=True, **facts
        )
    )


class DeclaredFilter(admin.SimpleListFilter):
    """Whether a file of the last load declares it."""

    title = "declared"
    parameter_name = "declared"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "in the tree"), ("no", "left the tree"), ("routed", "in the tree, routed")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "routed":
            return queryset.filter(_declared(queryset), ~_declared(queryset, fallback=""))
        if self.value() in ("yes", "no"):
            exists = _declared(queryset)
            return queryset.filter(exists if self.value() == "yes" else ~exists)
        return queryset


class MailboxChangeList(ScopedChangeList):
    """Joins the rows of the page, and only those, with their sessions and declarations."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        rows: list[Any] = list(self.result_list)  # type: ignore[has-type]
        places = places_of(rows)
        for row in rows:
            row.place = places[row.pk]
        self.result_list = rows


@admin.register(InventoryMailbox)
class MailboxAdmin(ScopedAdmin):
    """Every mailbox that was opened here."""

    list_display = ["mailbox_id", "kind", "members_shown", "boards", "routed", "lines", "last_line", "file"]
    list_filter = [OrganizationFilter, MailboxKindFilter, DeclaredFilter]
    list_select_related = ["organization"]
    search_fields = ["mailbox_id"]
    search_help_text = "id"
    ordering = ["mailbox_id", "pk"]

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[MailboxChangeList]:
        return MailboxChangeList

    @display(description="members")
    def members_shown(self, box: Any) -> int:
        return len(box.members)

    @display(description="boards")
    def boards(self, box: Any) -> str:
        return ", ".join(box.place.boards) or NOTHING

    @display(description="routed to")
    def routed(self, box: Any) -> str:
        return f"one member, else {box.place.fallback}" if box.place.fallback else "everybody"

    @display(description="lines")
    def lines(self, box: Any) -> int:
        return int(box.place.lines)

    @display(description="last line")
    def last_line(self, box: Any) -> str:
        return when(box.place.last_at)

    @display(
        description="file", label={"as opened": "success", "drifted": "warning", "left the tree": "danger"}
    )
    def file(self, box: Any) -> str:
        if not box.place.is_declared:
            return "left the tree"
        return "drifted" if box.place.drift else "as opened"

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The mailbox as a conversation. There is nothing to change, so there is no form."""
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        if not self.has_view_permission(request):
            raise PermissionDenied
        box: Any = self.get_object(request, object_id)
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": box.mailbox_id,
            "original": box,
            "box": box,
            **conversation_context(request, box, places_of([box])[box.pk]),
        }
        return TemplateResponse(request, "admin/mailboxes/mailbox.html", context)
