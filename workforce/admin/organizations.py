"""Organizations and who belongs to them. Only superusers. See docs/admin.md."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Count, QuerySet
from django.http import HttpRequest
from unfold.admin import TabularInline
from unfold.decorators import display

from workforce.admin.access import is_superuser
from workforce.admin.base import SuperuserAdmin
from workforce.admin.shown import when
from workforce.errors import DomainError
from workforce.models import Membership, Organization
from workforce.services.organizations import check_identity_name, create_organization, ensure_membership


class PlacesInline(TabularInline):
    """Memberships for superusers: the role can be changed and the membership taken away."""

    model = Membership
    extra = 0
    per_page: int | None = 20
    verbose_name = "membership"
    verbose_name_plural = "memberships"
    fields = ["user", "organization", "role", "is_default"]
    readonly_fields = ["user", "organization"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        rows = super().get_queryset(request).select_related("user", "organization")
        return rows.order_by("user__username", "organization__slug")

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_superuser(request)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_superuser(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_superuser(request)


class NewPlacesInline(PlacesInline):
    """Empty rows for new memberships: choosing among those that exist would cost a query a row."""

    verbose_name = "new membership"
    verbose_name_plural = "new memberships"
    fields = ["user", "organization", "role"]
    readonly_fields = []
    autocomplete_fields = ["user", "organization"]
    per_page = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        return super().get_queryset(request).none()

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class MembersInline(PlacesInline):
    fields = ["user", "role", "is_default"]
    readonly_fields = ["user"]


class NewMembersInline(NewPlacesInline):
    fields = ["user", "role"]
    autocomplete_fields = ["user"]


class PlacesMixin:
    """Saves new memberships through the service, which decides which one is a user's default."""

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        if formset.model is not Membership:
            super().save_formset(request, form, formset, change)  # type: ignore[misc]
            return
        for place in formset.save(commit=False):
            if place.pk is None:
                ensure_membership(
                    user=place.user, organization=place.organization, role=Membership.Role(place.role)
                )
            else:
                place.save(update_fields=["role", "is_default"])
        for gone in formset.deleted_objects:
            gone.delete()


class OrganizationForm(forms.ModelForm):
    """The slug is judged by the rule for names, and fixed once the organization is there."""

    class Meta:
        model = Organization
        fields = ["slug", "name"]

    def clean_slug(self) -> str:
        slug: str = self.cleaned_data["slug"]
        try:
            check_identity_name("slug", slug)
        except DomainError as refusal:
            raise forms.ValidationError(refusal.words) from refusal
        return slug


@admin.register(Organization)
class OrganizationAdmin(PlacesMixin, SuperuserAdmin):
    """Organizations with their members."""

    form = OrganizationForm
    list_display = ["slug", "name", "members", "created"]
    search_fields = ["slug", "name"]
    ordering = ["slug"]
    inlines = [MembersInline, NewMembersInline]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Organization]:
        return super().get_queryset(request).annotate(places=Count("memberships"))

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return ["slug"] if obj else []

    def get_inlines(self, request: HttpRequest, obj: Any) -> list[type[Any]]:
        return list(self.inlines) if obj else []

    def save_model(self, request: HttpRequest, obj: Organization, form: Any, change: bool) -> None:
        if change:
            obj.save(update_fields=["name"])
            return
        made = create_organization(slug=obj.slug, name=obj.name)
        obj.pk, obj.created_at, obj._state.adding = made.pk, made.created_at, False

    @display(description="members", ordering="places")
    def members(self, organization: Any) -> int:
        return int(organization.places)

    @display(description="made", ordering="created_at")
    def created(self, organization: Organization) -> str:
        return when(organization.created_at)
