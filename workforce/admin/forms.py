"""Forms of the buttons and of adding an actor. They take the shape of a value; the service judges it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from workforce.models import Actor, Grant, Organization, User
from workforce.services.keys import MAX_EXPIRES_DAYS


class KeyForm(forms.Form):
    """What a key may do, and for how long."""

    grants = forms.MultipleChoiceField(
        choices=[(grant.value, f"{grant.value} – {grant.label}") for grant in Grant],
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Grants",
        help_text="Without the one a call needs, the call is refused.",
    )
    expires_days = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=MAX_EXPIRES_DAYS,
        label="Expires after (days)",
        help_text="Empty: it counts until it is revoked.",
        widget=UnfoldAdminTextInputWidget(attrs={"inputmode": "numeric", "autocomplete": "off"}),
    )


class AddActorForm(KeyForm):
    """A new actor with its first key; cleans to the arguments of ``add_actor``."""

    organization = forms.ModelChoiceField(
        queryset=Organization.objects.none(), widget=UnfoldAdminSelectWidget, empty_label=None
    )
    passname = forms.CharField(
        max_length=64,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off", "autocapitalize": "none"}),
        help_text="Lowercase letters, digits and single hyphens. It is never used again, and gives no right.",
    )
    user = forms.CharField(
        max_length=150,
        strip=False,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off", "autocapitalize": "none"}),
        help_text="Whose actor it is: it reaches what this user owns.",
    )
    display_name = forms.CharField(
        max_length=200, required=False, label="Name for people", widget=UnfoldAdminTextInputWidget
    )
    kind = forms.ChoiceField(choices=Actor.Kind.choices, widget=UnfoldAdminSelectWidget)
    seat_id = forms.CharField(
        max_length=130,
        required=False,
        label="Worker id",
        widget=UnfoldAdminTextInputWidget,
        help_text="Only for an external worker: the seat that this actor is the outside of.",
    )

    field_order = [
        "organization",
        "passname",
        "user",
        "display_name",
        "kind",
        "seat_id",
        "grants",
        "expires_days",
    ]

    def __init__(
        self, *args: Any, organizations: QuerySet[Organization], everybody: bool, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        chosen: Any = self.fields["organization"]
        chosen.queryset = organizations
        self._everybody = everybody

    def clean(self) -> dict[str, Any]:
        """Turn the username into the user; a stranger is answered like nobody."""
        data: dict[str, Any] = super().clean() or {}
        organization, username = data.get("organization"), data.get("user")
        if organization is None or username is None:
            return data
        users = User.objects.filter(username=username)
        if not self._everybody:
            users = users.filter(memberships__organization=organization)
        data["user"] = users.first()
        if data["user"] is None:
            among = "user" if self._everybody else f"member of {organization}"
            self.add_error("user", f"There is no {among} of this name.")
        return data
