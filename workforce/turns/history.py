"""A worker's memory: the turns before, from the items of its session. See docs/turns.md, "History"."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from django.conf import settings
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from workforce.models import Item, Request
from workforce.models.fields import dump_json
from workforce.turns.fences import Fence
from workforce.turns.prompting import lines_as_data

Row = tuple[int, str, Any]
SHOWN = (Item.Type.MESSAGE, Item.Type.TOOL_OUTPUT)


def history_for(request: Request, fence: Fence) -> list[ModelMessage]:
    """What the model is shown of the turns before this one: the last ``HISTORY_WINDOW`` that wrote a line.

    A completed turn is shown whole; one that failed or was aborted with the line that woke it alone.
    """
    before = Request.objects.filter(Request.IS_COUNTED, session_id=request.session_id, id__lt=request.pk)
    window = list(before.order_by("-id").values_list("uid", "status")[: settings.HISTORY_WINDOW])
    items = Item.objects.filter(request__uid__in=[uid for uid, _ in window], type__in=SHOWN)
    rows: dict[Any, list[Row]] = {}
    for uid, seq, type, data in items.order_by("seq").values_list("request__uid", "seq", "type", "data"):
        rows.setdefault(uid, []).append((seq, type, data))
    messages: list[ModelMessage] = []
    for uid, status in reversed(window):
        whole = status == Request.Status.COMPLETED
        messages += _turn(rows.get(uid, []), whole, fence)
    return messages


def _turn(rows: Sequence[Row], whole: bool, fence: Fence) -> list[ModelMessage]:
    messages: list[ModelMessage] = []
    for seq, type, data in rows:
        role = data.get("role") if type == Item.Type.MESSAGE else "tool"
        if role in _OTHERS or whole:
            messages += _SHOWN[role](seq, data, fence) if role in _SHOWN else []
    return messages


def _user(seq: int, data: dict[str, Any], fence: Fence) -> list[ModelMessage]:
    return [ModelRequest(parts=[UserPromptPart(content=fence.wrap(data["text"]))])]


def _worker(seq: int, data: dict[str, Any], fence: Fence) -> list[ModelMessage]:
    """What another worker wrote into the conversation: data, like a person's line."""
    line = lines_as_data([{"from": data.get("author", ""), "text": data["text"]}])
    return [ModelRequest(parts=[UserPromptPart(content=fence.wrap(line))])]


def _assistant(seq: int, data: dict[str, Any], fence: Fence) -> list[ModelMessage]:
    return [ModelResponse(parts=[TextPart(content=data["text"])])]


def _tool(seq: int, data: dict[str, Any], fence: Fence) -> list[ModelMessage]:
    """A call and its output, under an id that is the same in every turn."""
    name, id = data["tool"], f"call_{seq}"
    # As escaped text: a model may have written halves of characters, which no endpoint takes.
    arguments = dump_json(data["input"] if isinstance(data["input"], dict) else {"text": data["input"]})
    output = fence.wrap(json.dumps(data["output"], ensure_ascii=False))
    return [
        ModelResponse(parts=[ToolCallPart(tool_name=name, args=arguments, tool_call_id=id)]),
        ModelRequest(parts=[ToolReturnPart(tool_name=name, content=output, tool_call_id=id)]),
    ]


#: Lines that the worker did not write: they stand whatever became of the turn.
_OTHERS = ("user", "worker")
_SHOWN: dict[str, Callable[[int, dict[str, Any], Fence], list[ModelMessage]]] = {
    "user": _user,
    "worker": _worker,
    "assistant": _assistant,
    "tool": _tool,
}
