"""Inboxes: the overview, and each inbox's page. See docs/admin.md, "Inboxes"."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Count, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from unfold.decorators import display

from boards.admin.base import ActedAdmin
from messaging.admin.inboxacts import BESIDE, SHOWN
from messaging.admin.inboxform import InboxForm
from messaging.admin.inboxpage import inbox_context
from messaging.inbox.models import Inbox, Message, Participation
from messaging.inbox.services.incidents import write_counted
from workforce.admin.access import may_look, visible_organizations
from workforce.admin.base import ScopedChangeList
from workforce.admin.buttons import ButtonsMixin, ShownButton
from workforce.admin.filters import OrganizationFilter
from workforce.admin.shown import NOTHING, page_of, when

ACTIVE = Q(left_at=None, actor__retired_at=None)


class InboxChangeList(ScopedChangeList):
    """Joins the inboxes of the page, and only those, with who takes part and what is open; two queries."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        inboxes: list[Any] = list(self.result_list)  # type: ignore[has-type]
        keys = [inbox.pk for inbox in inboxes]
        oldest = (
            Message.objects.filter(Message.IS_OPEN_REQUEST, inbox=OuterRef("pk"))
            .order_by("created_at")
            .values("created_at")[:1]
        )
        places = Participation.objects.filter(inbox__in=keys).order_by().values("inbox")
        rows = places.annotate(people=Count("pk", filter=ACTIVE), owed=Sum(F("pending") + F("delivered")))
        counted = {row["inbox"]: row for row in rows}
        ages = dict(
            Inbox.objects.filter(pk__in=keys).annotate(oldest=Subquery(oldest)).values_list("pk", "oldest")
        )
        for inbox in inboxes:
            inbox.figures = counted.get(inbox.pk, {"people": 0, "owed": 0}) | {"oldest": ages.get(inbox.pk)}
        self.result_list = inboxes


@admin.register(Inbox)
class InboxAdmin(ButtonsMixin, ActedAdmin):
    """Every inbox with what is open in it; its page has the figures, the people and the acts."""

    buttons = (*SHOWN, *BESIDE)
    page_template = "admin/messaging/inbox.html"
    list_display = ["slug", "people", "messages", "owed", "oldest", "made"]
    list_filter = [OrganizationFilter]
    list_select_related = ["organization"]
    search_fields = ["slug"]
    search_help_text = "slug"
    ordering = ["slug", "pk"]
    sortable_by: ClassVar[list[str]] = ["slug"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Inbox]:
        return super().get_queryset(request).select_related("organization")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[InboxChangeList]:
        return InboxChangeList

    def has_add_permission(self, request: HttpRequest) -> bool:
        return may_look(request)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The form of a new inbox, of an organization that the caller runs."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        data = request.POST if request.method == "POST" else None
        form = InboxForm(data, organizations=visible_organizations(request))
        made = form.make() if request.method == "POST" else None
        if made is not None:
            self.log_addition(request, made, "Made.")
            return redirect(page_of(made))
        context = self.site_context(request, title="A new inbox", form=form)
        return TemplateResponse(request, "admin/messaging/inbox_form.html", context)

    @display(description="participants")
    def people(self, inbox: Any) -> Any:
        return inbox.figures["people"] or NOTHING

    @display(description="messages")
    def messages(self, inbox: Inbox) -> Any:
        return inbox.message_seq or NOTHING

    @display(description="open receipts")
    def owed(self, inbox: Any) -> Any:
        return inbox.figures["owed"] or NOTHING

    @display(description="oldest open request")
    def oldest(self, inbox: Any) -> Any:
        return when(inbox.figures["oldest"])

    @display(description="made")
    def made(self, inbox: Inbox) -> Any:
        return when(inbox.created_at)

    def shown(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """What is open and owed, how fast it goes, and what was refused."""
        write_counted()
        names = {button.name for button in SHOWN}
        return self.site_context(
            request,
            title=row.slug,
            original=row,
            buttons=[shown for shown in self.shown_buttons(request, row) if shown.button.name in names],
            act_urls=self._act_urls(request, row),
            **inbox_context(request, row),
        )

    def shown_buttons(self, request: HttpRequest, row: Any) -> list[ShownButton]:
        """The buttons, each with fields of its own: several of them have one of the same name."""
        found = super().shown_buttons(request, row)
        for shown in found:
            if shown.form is not None:
                shown.form.auto_id = f"{shown.button.name}-%s"
        return found

    def _act_urls(self, request: HttpRequest, row: Inbox) -> dict[str, str]:
        """Where the acts beside a participant or a schema post to."""
        return {
            button.name.replace("-", "_"): reverse(f"admin:messaging_inbox_{button.name}", args=[row.pk])
            for button in BESIDE
            if button.allowed(request, row)
        }
