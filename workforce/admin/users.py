"""Users: accounts that own sessions and may log in here. Only superusers. See docs/admin.md."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as BaseUserAdmin
from django.http import HttpRequest
from unfold.decorators import display
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from workforce.admin.base import SuperuserAdmin
from workforce.admin.organizations import NewPlacesInline, PlacesInline, PlacesMixin
from workforce.admin.shown import when
from workforce.models import User


class UserPlacesInline(PlacesInline):
    fields = ["organization", "role", "is_default"]
    readonly_fields = ["organization"]


class NewUserPlacesInline(NewPlacesInline):
    fields = ["organization", "role"]
    autocomplete_fields = ["organization"]


@admin.register(User)
class UserAdmin(PlacesMixin, SuperuserAdmin, BaseUserAdmin):  # type: ignore[misc]
    """Accounts. The name is fixed once it is there: it stands on every line the user wrote."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    list_display = ["username", "full_name", "email", "is_active", "is_staff", "is_superuser", "seen"]
    list_filter = ["is_active", "is_staff", "is_superuser"]
    search_fields = ["username", "first_name", "last_name", "email"]
    ordering = ["username"]
    filter_horizontal = []
    fieldsets = [
        (None, {"fields": ["username", "password"]}),
        ("Person", {"fields": ["first_name", "last_name", "email"]}),
        ("May", {"fields": ["is_active", "is_staff", "is_superuser"]}),
    ]
    add_fieldsets = [(None, {"fields": ["username", "usable_password", "password1", "password2"]})]
    inlines = [UserPlacesInline, NewUserPlacesInline]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return ["username"] if obj else []

    def get_inlines(self, request: HttpRequest, obj: Any) -> list[type[Any]]:
        return list(self.inlines) if obj else []

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup.split("__")[0] in {"is_active", "is_staff", "is_superuser"}

    @display(description="name")
    def full_name(self, user: User) -> str:
        return user.get_full_name()

    @display(description="last login", ordering="last_login")
    def seen(self, user: User) -> str:
        return when(user.last_login)
