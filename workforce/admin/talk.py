"""What a session shows, as lines of a conversation: one shape for the page and for what follows it live."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.template.loader import render_to_string

from workforce.admin.shown import ago, exact, pretty, shortened, storable
from workforce.models import Item

#: The most that a page shows of one text.
LONGEST = 70_000


def talk_row(item: Item) -> dict[str, Any]:
    """An item as the template ``admin/workforce/item.html`` shows it; every text is data."""
    row: dict[str, Any] = {"item": item, "exact": exact(item.at), "ago": ago(item.at)}
    if item.line_seq is not None:
        return row | _line(item)
    data = item.data if isinstance(item.data, dict) else {}
    shape = _SHAPES.get(item.component or item.type)
    if shape is not None:
        return row | shape(data)
    return row | {"shape": "other", "data": "" if item.data is None else pretty(item.data)}


def render_row(item: Item) -> str:
    """The item as HTML."""
    return render_to_string("admin/workforce/item.html", {"row": talk_row(item)})


def talk_rows(items: Iterable[Item]) -> list[dict[str, Any]]:
    """The items in order."""
    return [talk_row(item) for item in items]


def _line(item: Item) -> dict[str, Any]:
    return {
        "shape": "line",
        "who": item.author or item.principal,
        # An author is what a caller said; a seat's line has its author from the service.
        "claimed": bool(item.author) and not item.seat_authored,
    }


def _message(data: dict[str, Any]) -> dict[str, Any]:
    text = _text(data.get("text"))
    answers = data.get("role") in ("assistant", "worker")
    return {"shape": "message", "answers": answers, "who": _text(data.get("author")), "text": text}


def _tool(data: dict[str, Any]) -> dict[str, Any]:
    given, output = data.get("input"), data.get("output")
    words = given if isinstance(given, dict) and data.get("tool") == "messageWorker" else None
    came = output if words and isinstance(output, dict) else {}
    return {
        "shape": "tool",
        "tool": _text(data.get("tool")),
        "sent": f"To {_text(words.get('to'))}: {_text(words.get('text'))}" if words else "",
        "unsent": "" if "sent" in came else _text(came.get("error")),
        "brief": shortened(pretty(given), 120) if not words and given not in (None, {}) else "",
        "input": pretty(given),
        "output": pretty(output),
    }


def _error(data: dict[str, Any]) -> dict[str, Any]:
    return {"shape": "error", "code": _text(data.get("code")), "text": _text(data.get("message"))}


def _route(data: dict[str, Any]) -> dict[str, Any]:
    score = data.get("score")
    return {
        "shape": "route",
        "post": _text(data.get("postId")),
        "member": _text(data.get("member")),
        "by": _text(data.get("by")),
        "reason": _text(data.get("reason")),
        "score": f"{score:.2f}" if isinstance(score, float) else "",
    }


def _handed(data: dict[str, Any]) -> dict[str, Any]:
    """A coordinator's decision, in the words of a mailbox's."""
    found = data.get("delegates")
    rows = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    workers = [_text(one.get("worker")) for one in rows if one.get("outcome") == "handed"]
    return _route({**data, "member": ", ".join(workers), "score": data.get("fit")})


def _task(data: dict[str, Any]) -> dict[str, Any]:
    return {
        "shape": "task",
        "change": _text(data.get("kind")).replace("_", " "),
        "board": _text(data.get("board")),
        "text": _text(data.get("title")),
        "who": _text(data.get("by")),
    }


def _text(value: Any) -> str:
    return storable(str(value if value is not None else ""))[:LONGEST]


_SHAPES = {
    Item.Type.MESSAGE.value: _message,
    Item.Type.TOOL_OUTPUT.value: _tool,
    Item.Type.ERROR.value: _error,
    "mailbox-route": _route,
    "coordinator-route": _handed,
    "task-change": _task,
}
