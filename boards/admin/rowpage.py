"""What the page of one row shows: all of it, what it waits for, what waits for it, its history."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from boards.admin.cards import LARGE, cards_of, name_of
from boards.admin.columns import STATUS_COLOURS, STATUS_WORDS
from boards.models import Task, TaskEvent
from boards.selectors.tasks import find_retry
from boards.selectors.workers import worker_keys
from boards.transitions import Status, is_ending
from workforce.admin.shown import ago, dated, exact, json_block, page_of, pretty, storable
from workforce.models import Session

#: How many lines of the history, and how many deps in each direction, the page shows.
EVENTS, DEPS = 200, 200
_UNSHOWN = (*LARGE, "error", "feedback")


def row_context(request: HttpRequest, task: Task) -> dict[str, Any]:
    """The context of the row's page, in a constant number of queries."""
    workers = worker_keys(task.board)
    (card,) = cards_of([task], workers=workers, back=request.get_full_path())
    return {
        "card": card,
        "workers": sorted(workers),
        "edit_url": reverse("admin:boards_task_edit", args=[task.pk]),
        "goal": storable(task.goal),
        "texts": _texts(task),
        "values": _values(task),
        "facts": _facts(task),
        "deps": [
            _neighbour(edge.dep) for edge in task.dep_rows.select_related("dep").defer(*_of("dep"))[:DEPS]
        ],
        "dependents": [
            _neighbour(edge.task)
            for edge in task.dependent_rows.select_related("task")
            .defer(*_of("task"))
            .order_by("task_id")[:DEPS]
        ],
        "retry_of": _named(task, task.retry_of),
        "retried_as": _retry(task),
        "run": _run(task),
        **_history(request, task),
    }


def _of(edge: str) -> list[str]:
    """The large columns of the row at one end of a dep."""
    return [f"{edge}__{name}" for name in _UNSHOWN]


def _texts(task: Task) -> list[tuple[str, str]]:
    """The texts of a row that are there, each with its heading."""
    texts = [("Error or reason", task.error), ("Feedback", task.feedback), ("Context", task.context)]
    return [(title, storable(text)) for title, text in texts if text]


def _values(task: Task) -> list[tuple[str, str]]:
    """The JSON of a row; an output of null is one once the row is completed."""
    is_done = task.status == Task.Status.COMPLETED
    output = pretty(task.output) if task.output is not None or is_done else ""
    values = [("Input", pretty(task.input) if task.input is not None else ""), ("Output", output)]
    return [
        *[entry for entry in values if entry[1]],
        *([("Metadata", pretty(task.metadata))] if task.metadata else []),
    ]


def _facts(task: Task) -> list[tuple[str, Any]]:
    facts = [
        ("id", task.task_id),
        ("filed", dated(task.created_at)),
        ("filed by", task.created_by),
        ("author", f"{task.author} (claimed, not proved)" if task.author else ""),
        ("first claimed", dated(task.started_at) if task.started_at else ""),
        ("ended", dated(task.completed_at) if task.completed_at else ""),
        ("changed", dated(task.updated_at)),
        ("attempts", f"{task.attempts} of {task.max_attempts}" if task.max_attempts else str(task.attempts)),
        ("abandoned", str(task.abandonments) if task.abandonments else ""),
        ("revision", str(task.revision)),
    ]
    return [(name, storable(value) if type(value) is str else value) for name, value in facts if value]


def _neighbour(task: Task) -> dict[str, Any]:
    return {
        "url": page_of(task),
        "name": name_of(task),
        "id": task.task_id,
        "word": STATUS_WORDS[task.status],
        "colour": STATUS_COLOURS[task.status],
    }


def _named(task: Task, task_id: str) -> dict[str, Any] | None:
    """The row of the same board with this id."""
    row = Task.objects.filter(board=task.board_id, task_id=task_id).defer(*LARGE).first() if task_id else None
    return _neighbour(row) if row else None


def _retry(task: Task) -> dict[str, Any] | None:
    row = find_retry(task.board, task.task_id) if is_ending(Status(task.status)) else None
    return _neighbour(row) if row else None


def _run(task: Task) -> dict[str, Any] | None:
    """Where the current or last attempt was worked: the session's page, when it is there."""
    run = task.run
    if not isinstance(run, dict):
        return None
    organization = task.board.organization_id
    session = Session.objects.filter(organization=organization, address=str(run.get("sessionId"))).first()
    return {"url": page_of(session) if session else "", "id": run.get("sessionId"), "run": json_block(run)}


def _history(request: HttpRequest, task: Task) -> dict[str, Any]:
    """The newest lines, or those before ``?before=``; the oldest first."""
    before = request.GET.get("before", "")
    events = task.events.order_by("-id")
    if before.isascii() and before.isdigit() and len(before) < 19:
        events = events.filter(pk__lt=int(before))
    found = list(events[: EVENTS + 1])
    shown = found[:EVENTS][::-1]
    return {
        "events": [_event(event) for event in shown],
        "earlier": shown[0].pk if len(found) > EVENTS else None,
        "is_newest": not before,
    }


def _event(event: TaskEvent) -> dict[str, Any]:
    is_move = event.from_status != event.to_status
    return {
        "kind": event.kind.replace("_", " "),
        "move": (STATUS_WORDS.get(event.from_status, ""), STATUS_WORDS[event.to_status]) if is_move else None,
        "who": event.seat or event.passname or event.principal or "the service",
        "principal": event.principal if event.seat or event.passname else "",
        "at": event.at,
        "exact": exact(event.at),
        "ago": ago(event.at),
        "revision": event.revision,
        "changes": [(name, _shown(value)) for name, value in event.changes.items()],
    }


def _shown(value: Any) -> str:
    """A value of a change on one line."""
    return storable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def last_change(task: Task) -> dict[str, Any] | None:
    """The newest line of a row's history."""
    event = task.events.order_by("-id").first()
    return _event(event) if event else None
