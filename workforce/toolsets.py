"""The tools that a worker's turn is offered, and the catalog that its file may name. See docs/turns.md.

Filled from ``AppConfig.ready()``; each app registers what it offers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ImproperlyConfigured
from pydantic import BaseModel

from workforce.toolnames import TOOL_NAME_LIMIT

if TYPE_CHECKING:
    from workforce.kinds import Work
    from workforce.models import Request, Seat, Session


@dataclass(eq=False, slots=True)
class Turn:
    """One turn of a seat, as toolsets see it. The principal is the session's owner."""

    seat: Seat
    session: Session
    request: Request
    work: Work
    #: The seat's settings, read by its kind's model.
    settings: BaseModel
    #: What the turn is about, by name (``post``: a PostDelivery, ``task``: a TaskDelivery).
    about: Mapping[str, Any] = field(default_factory=dict)
    #: What toolsets did in this turn, for the kind that ends it (``answered``: the posts it answered).
    notes: dict[str, Any] = field(default_factory=dict)
    _numbers: Counter[str] = field(default_factory=Counter)

    def key(self, what: str) -> str:
        """The dispatch key of the turn's next effect of this sort: the same when the turn runs again."""
        key = self.next_key(what)
        self._numbers[what] += 1
        return key

    def next_key(self, what: str) -> str:
        """The same key without using it up: for an effect that may be refused, and then is none of those counted."""
        return f"{what}:{self.request.uid}:{self._numbers[what] + 1}"


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool that a model may call.

    ``run`` is called with the turn and the validated input, on the worker's thread and outside of any
    transaction (``turn.work.step()`` is one), and returns JSON. A refusal that it raises is the tool's result
    for the model, ``{"ok": false, "error": "<code>: <sentence>"}``; the turn goes on.
    """

    name: str
    description: str
    input: type[BaseModel]
    run: Callable[[Turn, Any], Any]


#: What a toolset offers in this turn; nothing when the seat may not have it.
Offer = Callable[[Turn], Iterable[Tool]]

_NAMES: set[str] = set()
_TOOLSETS: dict[str, Offer] = {}


def register_tool_name(name: str) -> None:
    """Put a tool into the catalog; again is the same. Raises ImproperlyConfigured for a name no model takes."""
    if not name or len(name) > TOOL_NAME_LIMIT:
        raise ImproperlyConfigured(f"tool name {name!r}: 1 to {TOOL_NAME_LIMIT} characters")
    _NAMES.add(name)


def register_toolset(name: str, offer: Offer) -> None:
    """Have every turn offered what ``offer`` returns for it; the same name again replaces it."""
    _TOOLSETS[name] = offer


def tools_for(turn: Turn) -> list[Tool]:
    """The tools of one turn, in the order of registration; the first of a name is the one."""
    found: dict[str, Tool] = {}
    for offer in _TOOLSETS.values():
        for tool in offer(turn):
            found.setdefault(tool.name, tool)
    return list(found.values())


def tool_names() -> list[str]:
    """The names of the catalog's tools, sorted."""
    return sorted(_NAMES)


def lists_tool(turn: Turn, name: str) -> bool:
    """Whether the worker's file names this tool of the catalog under ``tools``."""
    return name in (getattr(turn.settings, "tools", None) or ())
