"""The Python callables that ``handler`` workers may name, from the setting TASK_HANDLERS. See docs/boards.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class HandlerTask:
    """What a handler is called with: the row that it works, and a way to ask whether to go on.

    ``input`` is any JSON, None when the row has none. ``feedback`` says why the last attempt failed, or what was
    answered; ``attempt`` counts from 1. A call may come again for the same attempt after a worker died, so that
    what it does elsewhere needs a key of its own: ``task_id`` and ``attempt``.
    """

    board_id: str
    task_id: str
    goal: str
    title: str
    context: str
    input: Any
    feedback: str
    attempt: int
    #: Raises when the run was aborted, or another worker has it; let that pass through. Call it in long loops.
    check: Callable[[], None]


#: Returns the row's output, as strict JSON; what it raises fails the attempt.
Handler = Callable[[HandlerTask], Any]
_HANDLERS: dict[str, Handler] = {}


def register_handler(name: str, handler: Handler) -> None:
    """Put a handler on the list; the same name again replaces it."""
    _HANDLERS[name] = handler


def find_handler(name: object) -> Handler | None:
    """The handler of this name, or None."""
    return _HANDLERS.get(name) if isinstance(name, str) else None


def handler_names() -> list[str]:
    """The names that a worker's file may use, sorted."""
    return sorted(_HANDLERS)
