"""What of a row is edited whole: priority, labels and metadata, also once it has ended. See docs/admin.md."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.http import HttpRequest
from pydantic import TypeAdapter, ValidationError
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from boards.admin.fields import as_typed, fault_of, strict_json
from boards.admin.forms import check_filled, number_of
from boards.admin.pressing import hand_of, revision_of
from boards.limits import Labels, Metadata, Priority
from boards.models import Task
from boards.services.editing import UNSET, Patch, update_task
from workforce.admin.shown import storable
from workforce.errors import InvalidInput

_PRIORITY: TypeAdapter[Any] = TypeAdapter(Priority | None)
_LABELS: TypeAdapter[list[str]] = TypeAdapter(Labels)
_METADATA: TypeAdapter[dict[str, Any]] = TypeAdapter(Metadata)


class EditForm(forms.Form):
    """The three as text."""

    priority = forms.CharField(
        required=False,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
        help_text="Higher goes first; none counts as 0.",
    )
    labels = forms.CharField(
        required=False, widget=UnfoldAdminTextareaWidget(attrs={"rows": 4}), help_text="One on each line."
    )
    metadata = forms.CharField(
        required=False,
        strip=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 8}),
        help_text="A JSON object. A key that is taken out here is taken out of the row.",
    )

    @classmethod
    def of(cls, task: Task) -> EditForm:
        """The form, filled with what the row says now."""
        return cls(initial=_texts(task))

    def patch(self, task: Task) -> Patch:
        """What differs from what the row says. Raises InvalidInput, naming the field."""
        check_filled(self)
        typed = {name: as_typed(text) for name, text in self.cleaned_data.items()}
        changed = {name: text for name, text in typed.items() if text.strip() != _texts(task)[name].strip()}
        return Patch(
            priority=_priority(changed["priority"]) if "priority" in changed else UNSET,
            all_labels=_labels(changed["labels"]) if "labels" in changed else UNSET,
            all_metadata=_metadata(changed["metadata"]) if "metadata" in changed else UNSET,
        )


def _texts(task: Task) -> dict[str, str]:
    return {
        "priority": "" if task.priority is None else f"{task.priority:.17g}",
        "labels": "\n".join(task.labels),
        "metadata": storable(json.dumps(task.metadata, indent=2, ensure_ascii=False))
        if task.metadata
        else "",
    }


def _priority(text: str) -> float | None:
    found: float | None = _read("Priority", _PRIORITY, number_of(text.strip()) if text.strip() else None)
    return found


def _labels(text: str) -> tuple[str, ...]:
    lines = [line.strip() for line in text.split("\n")]
    return tuple(_read("Labels", _LABELS, [line for line in lines if line]))


def _metadata(text: str) -> dict[str, Any]:
    value = strict_json("Metadata", text)
    found: dict[str, Any] = _read("Metadata", _METADATA, {} if value is None else value)
    return found


def _read(label: str, reader: TypeAdapter[Any], value: Any) -> Any:
    try:
        return reader.validate_python(value, strict=True)
    except ValidationError as error:
        raise InvalidInput.at(label, fault_of(error)) from None


def edit(request: HttpRequest, task: Task, form: EditForm) -> Task:
    """Write what was typed. Raises the service's refusal, Stale for another revision than was looked at."""
    return update_task(
        board=task.board,
        task_id=task.task_id,
        by=hand_of(request),
        patch=form.patch(task),
        if_revision=revision_of(request.POST.get("revision", "")),
    )
