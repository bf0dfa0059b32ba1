"""Actors: who calls with keys. Every act on them is a service's. See docs/admin.md and docs/identity.md."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Max, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.debug import sensitive_variables
from unfold.decorators import display

from workforce import clock
from workforce.admin.access import may_own, owned_organizations, owns_any
from workforce.admin.base import ScopedAdmin
from workforce.admin.buttons import Button, ButtonsMixin
from workforce.admin.filters import OrganizationFilter
from workforce.admin.forms import AddActorForm, KeyForm
from workforce.admin.shown import dated, page_of, when
from workforce.errors import DomainError, InvalidInput
from workforce.models import Actor, Key, Organization
from workforce.selectors.actors import actor_state, key_state
from workforce.services.actors import add_actor, freeze_actor, retire_actor, unfreeze_actor
from workforce.services.keys import issue_key, rotate_key

#: What an actor's page shows of its keys; the list of keys has the rest.
KEYS_SHOWN = 50


def _may_own(request: HttpRequest, actor: Actor) -> bool:
    return may_own(request, actor.organization_id)


def _likely(organizations: QuerySet[Organization]) -> Organization | None:
    default = organizations.filter(slug=settings.DEFAULT_ORGANIZATION).first()
    return default or organizations.first()


def _unretired(actor: Actor) -> bool:
    return actor.retired_at is None


@sensitive_variables("text")
def show_key_once(request: HttpRequest, *, actor: Actor, key: Key, text: str) -> HttpResponse:
    """The page that shows a new key. Its text goes into this answer and nowhere else."""
    return TemplateResponse(
        request,
        "admin/workforce/key_issued.html",
        {
            **admin.site.each_context(request),
            "title": f"The key of {actor}",
            "actor": actor,
            "actor_url": page_of(actor),
            "key": key,
            "key_text": text,
        },
    )


def _issue(request: HttpRequest, actor: Actor) -> HttpResponse:
    form = KeyForm(request.POST)
    if not form.is_valid():
        raise InvalidInput("; ".join(f"{name}: {words[0]}" for name, words in form.errors.items()))
    key, text = issue_key(
        organization=actor.organization,
        passname=actor.passname,
        grants=form.cleaned_data["grants"],
        expires_days=form.cleaned_data["expires_days"],
    )
    return show_key_once(request, actor=actor, key=key, text=text)


def _rotate(request: HttpRequest, actor: Actor) -> HttpResponse:
    key, text = rotate_key(organization=actor.organization, passname=actor.passname)
    return show_key_once(request, actor=actor, key=key, text=text)


def _freeze(request: HttpRequest, actor: Actor) -> str:
    freeze_actor(organization=actor.organization, passname=actor.passname)
    return f"'{actor}' is frozen: its keys are refused from the next call on"


def _unfreeze(request: HttpRequest, actor: Actor) -> str:
    unfreeze_actor(organization=actor.organization, passname=actor.passname)
    return f"'{actor}' is not frozen any more: its keys count again"


def _retire(request: HttpRequest, actor: Actor) -> str:
    retire_actor(organization=actor.organization, passname=actor.passname)
    return f"'{actor}' is retired and its keys are revoked"


BUTTONS = (
    Button(
        name="issue-key",
        label="Issue a key…",
        words="One more key for this actor. It is shown once, on the next page; what it has now goes on counting.",
        act=_issue,
        allowed=_may_own,
        fits=_unretired,
        fields=KeyForm,
        icon="key",
    ),
    Button(
        name="rotate",
        label="Rotate keys…",
        words="Revokes every key of this actor and issues a new one with the grants and the lifetime of the newest.",
        act=_rotate,
        allowed=_may_own,
        fits=_unretired,
        icon="autorenew",
        grave=True,
    ),
    Button(
        name="freeze",
        label="Freeze…",
        words="Refuses every key of this actor from the next call on. Nothing is lost, and it can be undone.",
        act=_freeze,
        allowed=_may_own,
        fits=lambda actor: _unretired(actor) and actor.frozen_at is None,
        icon="ac_unit",
    ),
    Button(
        name="unfreeze",
        label="Unfreeze…",
        words="Lets the keys of this actor count again.",
        act=_unfreeze,
        allowed=_may_own,
        fits=lambda actor: _unretired(actor) and actor.frozen_at is not None,
        icon="play_arrow",
    ),
    Button(
        name="retire",
        label="Retire…",
        words="Ends this actor for good: its keys are revoked, and its passname is never used again.",
        act=_retire,
        allowed=_may_own,
        fits=_unretired,
        icon="person_off",
        grave=True,
    ),
)


class StateFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("active", "active"), ("frozen", "frozen"), ("retired", "retired")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Actor]) -> QuerySet[Actor]:
        if self.value() == "retired":
            return queryset.filter(retired_at__isnull=False)
        if self.value() in ("active", "frozen"):
            return queryset.filter(retired_at=None, frozen_at__isnull=self.value() == "active")
        return queryset


@admin.register(Actor)
class ActorAdmin(ButtonsMixin, ScopedAdmin):
    """Actors with their keys and the buttons that issue, rotate, freeze and retire."""

    buttons = BUTTONS
    list_display = ["passname", "display_name", "state", "kind", "user", "live_keys", "last_used"]
    list_filter = [OrganizationFilter, StateFilter]
    list_select_related = ["user", "organization"]
    search_fields = ["passname", "display_name", "user__username"]
    search_help_text = "passname, name or user"
    ordering = ["passname", "pk"]
    fields = [
        "passname",
        "display_name",
        "state",
        "kind",
        "user_shown",
        "seat_id",
        "organization_shown",
        "added",
    ]
    readonly_fields = ["state", "user_shown", "organization_shown", "added"]
    change_form_outer_before_template = "admin/workforce/buttons.html"
    change_form_outer_after_template = "admin/workforce/actor_keys.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Actor]:
        live = Q(keys__revoked_at=None) & (Q(keys__expires_at=None) | Q(keys__expires_at__gt=clock.now()))
        return (
            super()
            .get_queryset(request)
            .select_related("user", "organization")
            .annotate(
                last_used_at=Max("keys__last_used_at"), live=Count("keys", filter=live & Q(retired_at=None))
            )
        )

    @display(description="state", label={"active": "success", "frozen": "info", "retired": "warning"})
    def state(self, actor: Actor) -> str:
        return actor_state(actor)

    @display(description="user")
    def user_shown(self, actor: Actor) -> str:
        return actor.user.username

    @display(description="live keys", ordering="live")
    def live_keys(self, actor: Any) -> int:
        return int(actor.live)

    @display(description="last used", ordering="last_used_at")
    def last_used(self, actor: Any) -> str:
        return when(actor.last_used_at)

    @display(description="added")
    def added(self, actor: Actor) -> str:
        return dated(actor.created_at)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return owns_any(request)

    def page_context(self, request: HttpRequest, row: Actor) -> dict[str, Any]:
        now = clock.now()
        keys = list(row.keys.order_by("-pk")[:KEYS_SHOWN])
        for key in keys:
            key.actor = row
        return {
            "buttons": self.shown_buttons(request, row),
            "keys": [{"key": key, "state": key_state(key, now=now)} for key in keys],
            "may_own": _may_own(request, row),
        }

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The form of a new actor; its POST answers with the first key, shown once."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        organizations = owned_organizations(request)
        # An owner decides about the members of an organization, not about everybody who has an account.
        everybody = bool(request.user.is_superuser)
        form = AddActorForm(
            request.POST if request.method == "POST" else None,
            organizations=organizations,
            everybody=everybody,
            initial={"user": request.user.get_username(), "organization": _likely(organizations)},
        )
        if request.method == "POST" and form.is_valid():
            try:
                actor, key, text = add_actor(**form.cleaned_data)
            except DomainError as refusal:
                messages.error(request, f"{refusal.words} ({refusal.code})")
            else:
                self.log_addition(request, actor, "Added.")
                return show_key_once(request, actor=actor, key=key, text=text)
        context = {
            **self.admin_site.each_context(request),
            "title": "Add an actor",
            "opts": self.opts,
            "form": form,
        }
        return TemplateResponse(request, "admin/workforce/add_actor.html", context)
