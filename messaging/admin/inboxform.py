"""The form that makes an inbox."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from messaging.inbox.models import Inbox
from messaging.inbox.services.opening import LONGEST_WINDOW, create_inbox
from workforce.admin.workerforms import RefusableForm
from workforce.errors import DomainError
from workforce.models import Organization


class InboxForm(RefusableForm):
    """A new inbox, with nobody in it."""

    organization = forms.ModelChoiceField(
        queryset=Organization.objects.none(), widget=UnfoldAdminSelectWidget, empty_label=None
    )
    slug = forms.CharField(
        max_length=64,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off", "autocapitalize": "none"}),
        help_text="Lowercase letters, digits and single hyphens; part of its address.",
    )
    duplicate_window = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=LONGEST_WINDOW,
        label="Duplicate window",
        widget=UnfoldAdminTextInputWidget(attrs={"inputmode": "numeric", "autocomplete": "off"}),
        help_text="Seconds in which an equal send is answered with the first; 0 is never. Empty: the server's setting.",
    )

    def __init__(self, *args: Any, organizations: QuerySet[Organization], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        chosen: Any = self.fields["organization"]
        chosen.queryset = organizations

    def make(self) -> Inbox | None:
        """The inbox; None when something was wrong, which the form then shows."""
        if not self.is_valid():
            return None
        try:
            return create_inbox(**self.cleaned_data)
        except DomainError as refusal:
            self.refuse(refusal)
            return None
