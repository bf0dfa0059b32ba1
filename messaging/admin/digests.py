"""Digests: who gets which, and what became of the last. See docs/digests.md."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from unfold.decorators import display
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from messaging.digests.models import DigestSubscription
from messaging.digests.subscribing import Subscriber, hasten, subscribe, unsubscribe
from workforce.admin.access import may_look, visible_organizations
from workforce.admin.base import ScopedAdmin
from workforce.admin.buttons import Button, ButtonsMixin
from workforce.admin.filters import OrganizationFilter
from workforce.admin.shown import NOTHING, dated, page_of, when
from workforce.admin.workerforms import RefusableForm
from workforce.errors import DomainError
from workforce.models import Organization, User


class DigestForm(RefusableForm):
    """A digest for oneself."""

    organization = forms.ModelChoiceField(
        queryset=Organization.objects.none(), widget=UnfoldAdminSelectWidget, empty_label=None
    )
    channel = forms.ChoiceField(choices=DigestSubscription.Channel.choices, widget=UnfoldAdminSelectWidget)
    cadence = forms.ChoiceField(choices=DigestSubscription.Cadence.choices, widget=UnfoldAdminSelectWidget)
    address = forms.CharField(
        max_length=254,
        required=False,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
        help_text="An e-mail address, or the number of a Telegram chat. Empty: the one before, else your own e-mail.",
    )

    def __init__(self, *args: Any, organizations: QuerySet[Organization], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen: Any = self.fields["organization"]
        chosen.queryset = organizations


def _end(request: HttpRequest, row: DigestSubscription) -> HttpResponse:
    subscriber = Subscriber(row.organization, row.user, row.actor)
    unsubscribe(subscriber=subscriber, channel=row.channel)
    messages.success(request, f"No more digests for {row.subscriber} by {row.get_channel_display()}")
    return redirect(reverse("admin:messaging_digestsubscription_changelist"))


def _hasten(request: HttpRequest, row: DigestSubscription) -> str:
    hasten(row)
    return "It is tried again within the next sweep"


def _anybody(request: HttpRequest, row: DigestSubscription) -> bool:
    """Whoever sees the row runs its organization."""
    return True


BUTTONS = (
    Button(
        name="hasten",
        label="Try again…",
        words="Sends what is due at once, without waiting for the pause after the last failure to end.",
        act=_hasten,
        allowed=_anybody,
        fits=lambda row: row.attempts > 0 and row.sending_until is None,
        icon="refresh",
    ),
    Button(
        name="end",
        label="End…",
        words="No more digests are sent there. It can be asked for again.",
        act=_end,
        allowed=_anybody,
        icon="notifications_off",
        grave=True,
    ),
)


@admin.register(DigestSubscription)
class DigestAdmin(ButtonsMixin, ScopedAdmin):
    """Subscriptions, those that fail first to see."""

    buttons = BUTTONS
    list_display = ["whose", "channel", "cadence", "state", "last_sent", "next_one"]
    list_filter = [OrganizationFilter]
    list_select_related = ["organization", "user", "actor"]
    search_fields = ["actor__passname", "user__username"]
    search_help_text = "passname or user"
    ordering = ["-attempts", "pk"]
    sortable_by: ClassVar[list[str]] = []
    fields = [
        "whose",
        "channel",
        "cadence",
        "address",
        "state",
        "error",
        "attempts",
        "last_dated",
        "next_dated",
    ]
    readonly_fields = ["whose", "state", "last_dated", "next_dated"]
    change_form_outer_before_template = "admin/workforce/buttons.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[DigestSubscription]:
        return super().get_queryset(request).select_related("organization", "user", "actor")

    @display(description="for")
    def whose(self, row: DigestSubscription) -> str:
        return row.subscriber if row.actor else f"{row.subscriber} (user)"

    @display(description="state", label={"fine": "success", "failing": "danger", "given up once": "warning"})
    def state(self, row: DigestSubscription) -> str:
        if row.attempts:
            return "failing"
        return "given up once" if row.error else "fine"

    @display(description="last sent")
    def last_sent(self, row: DigestSubscription) -> Any:
        return when(row.last_sent_at) if row.last_sent_at else NOTHING

    @display(description="next")
    def next_one(self, row: DigestSubscription) -> Any:
        return when(row.next_at)

    @display(description="last sent")
    def last_dated(self, row: DigestSubscription) -> Any:
        return dated(row.last_sent_at)

    @display(description="next")
    def next_dated(self, row: DigestSubscription) -> Any:
        return dated(row.next_at)

    def page_context(self, request: HttpRequest, row: DigestSubscription) -> dict[str, Any]:
        return {"buttons": self.shown_buttons(request, row)}

    def has_add_permission(self, request: HttpRequest) -> bool:
        return may_look(request)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The form of a digest for oneself."""
        if not self.has_add_permission(request) or not isinstance(request.user, User):
            raise PermissionDenied
        data = request.POST if request.method == "POST" else None
        form = DigestForm(data, organizations=visible_organizations(request))
        if request.method == "POST" and form.is_valid():
            chosen = form.cleaned_data
            try:
                row = subscribe(
                    subscriber=Subscriber(chosen["organization"], request.user),
                    channel=chosen["channel"],
                    cadence=chosen["cadence"],
                    address=chosen["address"] or None,
                )
            except DomainError as refusal:
                form.refuse(refusal)
            else:
                self.log_addition(request, row, "Asked for.")
                return redirect(page_of(row))
        context = {
            **self.admin_site.each_context(request),
            "title": "A digest for me",
            "opts": self.opts,
            "form": form,
        }
        return TemplateResponse(request, "admin/messaging/digest_form.html", context)
