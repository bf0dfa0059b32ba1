"""Small plots as inline SVG: bars in the page's own colours, and the same in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

#: The drawing's own units; it is scaled to the width that there is.
WIDTH, HEIGHT, FOOT, HEAD = 320, 96, 16, 14
_GAP = 2


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: what stands under it, and how high it is. ``words`` name it where there is room for them."""

    label: str
    count: int
    words: str = ""


def bars(*, title: str, items: Iterable[Bar], name: str) -> SafeString:
    """The bars side by side, with their numbers in words for whoever does not see them.

    ``name`` is the id that the parts of the drawing begin with: it must be the only one on the page.
    """
    found = list(items)
    highest = max((bar.count for bar in found), default=0)
    step = WIDTH / max(1, len(found))
    drawn = format_html_join("", "{}", ((_drawn(bar, n, step, highest),) for n, bar in enumerate(found)))
    told = "; ".join(f"{bar.words or bar.label}: {bar.count}" for bar in found if bar.count) or "nothing"
    return format_html(
        '<svg class="ib-plot" viewBox="0 0 {} {}" role="img" aria-labelledby="{}-t {}-d">'
        '<title id="{}-t">{}</title><desc id="{}-d">{}</desc>'
        '<line class="ib-axis" x1="0" x2="{}" y1="{}" y2="{}"/>{}</svg>',
        WIDTH, HEAD + HEIGHT + FOOT, name, name, name, title, name, told,
        WIDTH, HEAD + HEIGHT, HEAD + HEIGHT, drawn,
    )  # fmt: skip


def _drawn(bar: Bar, number: int, step: float, highest: int) -> SafeString:
    height = round(HEIGHT * bar.count / highest, 1) if highest else 0.0
    height = max(height, 1.5) if bar.count else 0.0
    left, middle = round(number * step + _GAP / 2, 1), round((number + 0.5) * step, 1)
    parts: list[Any] = [
        format_html(
            '<rect class="ib-bar" x="{}" y="{}" width="{}" height="{}" rx="1.5"><title>{}: {}</title></rect>',
            left, round(HEAD + HEIGHT - height, 1), round(max(1.0, step - _GAP), 1), height,
            bar.words or bar.label, bar.count,
        )
    ]  # fmt: skip
    if bar.count and step >= 30:
        top = round(HEAD + HEIGHT - height - 3, 1)
        parts.append(format_html('<text class="ib-count" x="{}" y="{}">{}</text>', middle, top, bar.count))
    if bar.label:
        foot = HEAD + HEIGHT + FOOT - 4
        parts.append(format_html('<text class="ib-label" x="{}" y="{}">{}</text>', middle, foot, bar.label))
    return format_html_join("", "{}", ((part,) for part in parts))
