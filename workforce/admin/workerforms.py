"""The forms of a user's own workers. They take the shape of a value; the service judges it."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.db.models import QuerySet
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from workforce.admin.shown import storable
from workforce.errors import DomainError
from workforce.kinds import worker_kinds
from workforce.models import Organization, Seat, User

_NAME = {"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}


class LinesField(forms.CharField):
    """A text as it was typed; browsers send its line ends as two characters."""

    def __init__(self, *, rows: int, **options: Any) -> None:
        widget = UnfoldAdminTextareaWidget(attrs={"rows": rows, "dir": "auto"})
        super().__init__(required=False, strip=False, widget=widget, **options)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value) or "").replace("\r\n", "\n")


class SettingsField(LinesField):
    """A JSON object; nothing is an empty one."""

    def clean(self, value: Any) -> Any:
        text = self.to_python(value)
        if not text.strip():
            return {}
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise forms.ValidationError(f"This is not JSON: {error}.") from None
        if not isinstance(found, dict):
            raise forms.ValidationError('This must be a JSON object, such as {"tools": ["read-document"]}.')
        return found


class RefusableForm(forms.Form):
    """A form that shows what the service refused, each fault on a line of its own."""

    def refuse(self, refusal: DomainError) -> None:
        """Say why the service refused, above the fields, which keep what was typed."""
        faults = refusal.data.get("errors") or []
        lines = [": ".join(filter(None, (fault["path"], fault["message"]))) for fault in faults]
        for line in lines or [refusal.words]:
            self.add_error(None, storable(f"{line} ({refusal.code})" if not lines else line))


class WorkerForm(RefusableForm):
    """What a worker is made of; cleans to arguments of ``hire_worker`` and ``edit_worker``."""

    flow = forms.ChoiceField(label="Kind", widget=UnfoldAdminSelectWidget)
    description = LinesField(
        rows=3,
        help_text="What it is for, in a sentence or two. Other workers read it; its own model does not.",
    )
    instructions = LinesField(rows=12, help_text="What the worker itself is told.")
    settings = SettingsField(
        rows=6, help_text='The keys of its kind, as in a WORKER.md: {"tools": ["read-document"]}.'
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen: Any = self.fields["flow"]
        chosen.choices = [(name, name) for name in sorted(worker_kinds())]

    @staticmethod
    def initial_of(seat: Seat) -> dict[str, str]:
        """The fields as the seat has them."""
        return {
            "flow": seat.kind,
            "description": seat.description,
            "instructions": seat.instructions,
            "settings": storable(json.dumps(seat.settings, indent=2, ensure_ascii=False))
            if seat.settings
            else "",
        }


class OwnedForm(RefusableForm):
    """For whom a worker is hired, and under which id."""

    user = forms.CharField(
        max_length=150,
        strip=False,
        widget=UnfoldAdminTextInputWidget(attrs=_NAME),
        help_text="Whose worker it is: only this user can reach it.",
    )
    worker_id = forms.CharField(
        max_length=130,
        strip=False,
        label="Worker id",
        widget=UnfoldAdminTextInputWidget(attrs=_NAME),
        help_text="One segment of a path, such as my-analyst. An id that was fired before is the same seat again.",
    )

    def owner_in(self, organization: Organization) -> User | None:
        """The user of this name who is a member of the organization; without one, the form says so."""
        members = User.objects.filter(memberships__organization=organization)
        found = members.filter(username=self.cleaned_data["user"]).first()
        if found is None:
            self.add_error("user", f"There is no member of {organization} of this name.")
        return found


class HireForm(OwnedForm, WorkerForm):
    """A new worker of a user's own."""

    organization = forms.ModelChoiceField(
        queryset=Organization.objects.none(), widget=UnfoldAdminSelectWidget, empty_label=None
    )
    field_order = ["organization", "user", "worker_id", "flow", "description", "instructions", "settings"]

    def __init__(self, *args: Any, organizations: QuerySet[Organization], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen: Any = self.fields["organization"]
        chosen.queryset = organizations
