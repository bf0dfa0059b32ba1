"""How values are shown. Everything that comes from outside is text: it is escaped here or by the template."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from workforce import clock
from workforce.models import Session

#: What a page shows of one JSON value; the rest is counted.
LONGEST = 50_000
NOTHING = "–"

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))

#: The colour of a request's status, for unfold's labels.
STATUS_LABELS = {
    "pending": "info",
    "in_progress": "primary",
    "completed": "success",
    "failed": "danger",
    "aborted": "warning",
    "active": "primary",
}


def ago(moment: datetime | None) -> str:
    """How long since, or until, a moment, in its largest unit: ``4 min ago``, ``in 3 d``."""
    if moment is None:
        return NOTHING
    seconds = int((clock.now() - moment).total_seconds())
    size, unit = next((entry for entry in _UNITS if abs(seconds) >= entry[0]), (1, "s"))
    count = abs(seconds) // size
    words = f"{count} {unit} ago" if seconds >= 0 else f"in {count} {unit}"
    # A narrow column would fold it over three lines.
    return words.replace(" ", "\N{NO-BREAK SPACE}")


def exact(moment: datetime) -> str:
    """A moment as operators compare it with a log."""
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


def when(moment: datetime | None) -> SafeString | str:
    """The age of a moment, with the moment itself behind it."""
    if moment is None:
        return NOTHING
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', moment.isoformat(), exact(moment), ago(moment)
    )


def dated(moment: datetime | None) -> SafeString | str:
    """A moment and its age, both readable."""
    if moment is None:
        return NOTHING
    shown = f"{exact(moment)} ({ago(moment)})"
    return format_html('<time datetime="{}">{}</time>', moment.isoformat(), shown)


def storable(text: str) -> str:
    """The text with halves of surrogate pairs written out, which no answer could carry."""
    return text.encode("utf-8", "backslashreplace").decode()


def pretty(value: Any) -> str:
    """A JSON value on readable lines, cut when it is very long."""
    text = storable(json.dumps(value, indent=2, ensure_ascii=False))
    left = len(text) - LONGEST
    return f"{text[:LONGEST]}\n… and {left} more characters" if left > 0 else text


def block(text: str) -> SafeString | str:
    """A text with its own line breaks."""
    return format_html('<div class="wf-text" dir="auto">{}</div>', text) if text else NOTHING


def json_block(value: Any) -> SafeString | str:
    """A JSON value as a block of code."""
    return NOTHING if value in (None, {}, []) else format_html('<pre class="wf-code">{}</pre>', pretty(value))


def page_of(row: Any) -> str:
    """The address of a row's page."""
    meta = row._meta
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk])


def link_to(row: Any, text: object = None) -> SafeString | str:
    """A link to a row's page."""
    if row is None:
        return NOTHING
    return format_html('<a class="wf-link" href="{}">{}</a>', page_of(row), row if text is None else text)


def session_name(session: Session) -> str:
    """What tells a session from others: its title when its address was derived, else its address."""
    return session.title if session.parent_id and session.title else session.address


def shortened(text: str, length: int = 80) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text[: length * 2].split())
    return line if len(line) <= length and len(text) <= length * 2 else f"{line[: length - 1]}…"
