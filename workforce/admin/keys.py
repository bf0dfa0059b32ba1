"""Keys: what calls with which grants, until when. The digest is never shown. See docs/admin.md."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from unfold.decorators import display

from workforce import clock
from workforce.admin.access import may_own
from workforce.admin.base import ScopedAdmin
from workforce.admin.buttons import Button, ButtonsMixin
from workforce.admin.filters import organization_filter
from workforce.admin.shown import dated, link_to, when
from workforce.models import Key
from workforce.selectors.actors import key_state
from workforce.services.keys import revoke_key

#: A key that ends within this is one to rotate now.
SOON = timedelta(days=14)


def expiring_soon() -> Q:
    """Keys that count today and will not for long."""
    now = clock.now()
    return Q(revoked_at=None, actor__retired_at=None, expires_at__gt=now, expires_at__lte=now + SOON)


def _revoke(request: HttpRequest, key: Key) -> str:
    revoke_key(organization=key.actor.organization, prefix=key.prefix)
    return f"the key {key} of '{key.actor}' is revoked"


class KeyStateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("live", "live"),
            ("soon", "expires within 14 days"),
            ("expired", "expired"),
            ("revoked", "revoked"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Key]) -> QuerySet[Key]:
        now = clock.now()
        states = {
            "live": Q(revoked_at=None, actor__retired_at=None, actor__frozen_at=None)
            & (Q(expires_at=None) | Q(expires_at__gt=now)),
            "soon": expiring_soon(),
            "expired": Q(revoked_at=None, expires_at__lte=now),
            "revoked": Q(revoked_at__isnull=False),
        }
        chosen = states.get(self.value() or "")
        return queryset if chosen is None else queryset.filter(chosen)


@admin.register(Key)
class KeyAdmin(ButtonsMixin, ScopedAdmin):
    """Keys, read-only, with one button: revoke."""

    organization_path = "actor__organization"
    buttons = (
        Button(
            name="revoke",
            label="Revoke…",
            words="Refuses this key from the next call on, for good.",
            act=_revoke,
            allowed=lambda request, key: may_own(request, key.actor.organization_id),
            fits=lambda key: key.revoked_at is None,
            icon="block",
            grave=True,
        ),
    )
    list_display = ["prefix", "actor_link", "state", "grants_shown", "last_used", "expires"]
    list_filter = [organization_filter("actor__organization"), KeyStateFilter]
    list_select_related = ["actor__organization"]
    search_fields = ["prefix", "actor__passname"]
    search_help_text = "prefix or passname"
    ordering = ["-pk"]
    # Named one by one: the digest is not among them.
    fields = ["prefix", "actor_link", "state", "grants_shown", "issued", "expires_dated", "revoked", "used"]
    readonly_fields = ["actor_link", "state", "grants_shown", "issued", "expires_dated", "revoked", "used"]
    change_form_outer_before_template = "admin/workforce/buttons.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Key]:
        return super().get_queryset(request).select_related("actor__organization").defer("digest")

    @display(description="actor", ordering="actor__passname")
    def actor_link(self, key: Key) -> str:
        return link_to(key.actor)

    @display(
        description="state",
        label={"live": "success", "frozen": "info", "expired": "warning", "revoked": "danger"},
    )
    def state(self, key: Key) -> str:
        return key_state(key, now=clock.now())

    @display(description="grants")
    def grants_shown(self, key: Key) -> str:
        return ", ".join(key.grants) or "none"

    @display(description="last used", ordering="last_used_at")
    def last_used(self, key: Key) -> str:
        return when(key.last_used_at)

    @display(description="expires", ordering="expires_at")
    def expires(self, key: Key) -> str:
        return when(key.expires_at)

    @display(description="issued")
    def issued(self, key: Key) -> str:
        return dated(key.created_at)

    @display(description="expires")
    def expires_dated(self, key: Key) -> str:
        return dated(key.expires_at)

    @display(description="revoked")
    def revoked(self, key: Key) -> str:
        return dated(key.revoked_at)

    @display(description="last used")
    def used(self, key: Key) -> str:
        return dated(key.last_used_at)

    def page_context(self, request: HttpRequest, row: Key) -> dict[str, Any]:
        return {"buttons": self.shown_buttons(request, row)}
