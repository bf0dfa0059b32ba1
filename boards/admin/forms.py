"""The form of a new row. It takes the shape; the same model as at every other door judges it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from boards.admin.fields import as_typed, strict_json
from boards.tools.inputs import Filing
from workforce.errors import InvalidInput
from workforce.inputs import validate_input

_ONE_LINE = UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"})


def _lines(rows: int) -> UnfoldAdminTextareaWidget:
    return UnfoldAdminTextareaWidget(attrs={"rows": rows})


class FilingForm(forms.Form):
    """What a row is filed with, as text."""

    goal = forms.CharField(strip=False, widget=_lines(5), help_text="What is to be done, whole.")
    title = forms.CharField(required=False, widget=_ONE_LINE, help_text="A short name of it.")
    assignee = forms.CharField(
        required=False,
        widget=_ONE_LINE,
        label="Worker",
        help_text="A worker key of the board. Empty: not routed yet.",
    )
    priority = forms.CharField(
        required=False, widget=_ONE_LINE, help_text="Higher goes first; none counts as 0."
    )
    max_attempts = forms.CharField(
        required=False, widget=_ONE_LINE, label="Runs at most", help_text="Empty: one, it is not tried again."
    )
    labels = forms.CharField(required=False, widget=_ONE_LINE, help_text="Separated by commas.")
    deps = forms.CharField(
        required=False,
        widget=_lines(2),
        label="Waits for",
        help_text="Ids of rows of this board, separated by spaces.",
    )
    context = forms.CharField(required=False, strip=False, widget=_lines(3), help_text="What helps to do it.")
    input = forms.CharField(
        required=False, strip=False, widget=_lines(3), help_text="What the worker needs, as JSON."
    )

    def __init__(self, *args: Any, workers: Collection[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if workers:
            choices = [("", "nobody yet"), *((key, key) for key in sorted(workers))]
            self.fields["assignee"].widget = UnfoldAdminSelectWidget(choices=choices)

    def filing(self) -> Filing:
        """The input of the filing. Raises InvalidInput; call it on a valid form."""
        data = self.cleaned_data
        value: dict[str, Any] = {"goal": as_typed(data["goal"])}
        value |= {name: as_typed(data[name]) for name in ("title", "assignee", "context") if data[name]}
        value |= {
            wire: number_of(data[name])
            for name, wire in (("priority", "priority"), ("max_attempts", "maxAttempts"))
            if data[name]
        }
        value["labels"] = [label.strip() for label in data["labels"].split(",") if label.strip()]
        value["deps"] = data["deps"].replace(",", " ").split()
        value["input"] = strict_json("Input", data["input"])
        return validate_input(Filing, value)


def number_of(text: str) -> Any:
    """The number that the text is, else the text, which the model refuses in its words."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def check_filled(form: forms.Form) -> None:
    """Raise InvalidInput with what the form's own fields refuse."""
    if not form.is_valid():
        raise InvalidInput(
            "; ".join(f"{form.fields[name].label or name}: {words[0]}" for name, words in form.errors.items())
        )
