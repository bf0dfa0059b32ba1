"""The items of a turn: the line that woke it, its tool calls, its answer or its error. See docs/turns.md."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

from workforce.kinds import Call, Work
from workforce.models import Item, Request
from workforce.models.fields import dump_json
from workforce.services.items import append_item
from workforce.turns.fences import clean, cut
from workforce.turns.limits import KEPT_OUTPUT

#: How deeply the arguments of a tool may be nested, as everywhere.
DEEPEST = 100


def keep_user_line(work: Work, text: str, **extra: Any) -> None:
    """Show what the turn answers, once: a run that takes the turn again after a crash finds the line there."""
    with work.step() as call:
        if any(_is_user_line(item) for item in _items_of(call, Item.Type.MESSAGE)):
            return
        _keep(call, Item.Type.MESSAGE, {"role": "user", "text": text, **extra})
        # The history of later turns looks back over the requests that wrote a line.
        Request.objects.filter(pk=call.request.pk).update(counted=Request.Counted.LINE)


def keep_ending(call: Call, data: dict[str, Any], *, error: bool = False) -> None:
    """Show the answer or the error, with the end of the run."""
    _keep(call, Item.Type.ERROR if error else Item.Type.MESSAGE, data)


class KeptCalls:
    """The tool calls of one turn as items; a call that an earlier, dead run of the turn kept is not kept again."""

    def __init__(self, work: Work) -> None:
        self._work = work
        earlier = Item.objects.filter(request__uid=work.request.uid, type=Item.Type.TOOL_OUTPUT)
        kept = (data for data in earlier.values_list("data", flat=True) if isinstance(data, dict))
        self._earlier = Counter(_identity(data.get("tool"), data.get("input")) for data in kept)

    def keep(self, tool: str, input: Any, output: Any) -> None:
        """Write one call in a step of its own. Raises RunLost and RunAborted."""
        tool, input = clean(tool), _bounded(input)
        identity = _identity(tool, input)
        if self._earlier[identity]:
            self._earlier[identity] -= 1
            return
        with self._work.step() as call:
            data = {"tool": tool, "input": input, "output": _bounded(output)}
            _keep(call, Item.Type.TOOL_OUTPUT, data)


def _keep(call: Call, type: Item.Type, data: dict[str, Any]) -> None:
    append_item(session=call.session, request=call.request, type=type, data=data)


def _items_of(call: Call, type: Item.Type) -> list[Any]:
    return list(Item.objects.filter(request__uid=call.request.uid, type=type).values_list("data", flat=True))


def _is_user_line(data: Any) -> bool:
    return isinstance(data, dict) and data.get("role") == "user"


def _identity(tool: Any, input: Any) -> str:
    return dump_json([tool, input])


def is_keepable(value: Any, levels: int = DEEPEST) -> bool:
    """Whether a model wrote JSON: no NaN, no infinities, and not nested so deeply that it could not be read back."""
    if isinstance(value, float):
        return math.isfinite(value)
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(is_keepable(one, levels - 1) for one in inner)


def _bounded(value: Any) -> Any:
    """The value of whole characters, or its beginning as marked text when it is too long to be shown whole."""
    # Not escaped: a text in another script is as long as it reads.
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    whole = clean(text)
    if len(whole) > KEPT_OUTPUT:
        return cut(whole, KEPT_OUTPUT)
    return value if whole == text else json.loads(whole)
