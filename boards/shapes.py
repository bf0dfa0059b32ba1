"""Rows as they leave the server: allow-lists, in a fixed order. The claim and its lease are in none of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from boards.models import Board, Task, TaskEvent
from boards.transitions import Status
from workforce import clock


def _ms(moment: datetime | None) -> int | None:
    return None if moment is None else clock.to_ms(moment)


def _number(value: float | None) -> int | float | None:
    """A whole number as one: 5, not 5.0."""
    return int(value) if value is not None and value.is_integer() else value


def _clean(shape: dict[str, Any]) -> dict[str, Any]:
    """Without what is not there; an empty list of deps or labels stays."""
    return {name: value for name, value in shape.items() if value is not None and value != ""}


def listed_shape(task: Task, deps: list[str]) -> dict[str, Any]:
    """A row of a list or a page."""
    return _clean(
        {
            "id": task.task_id,
            "title": task.title,
            "goal": task.goal,
            "status": task.status,
            "assignee": task.assignee,
            "run": task.run,
            "priority": _number(task.priority),
            "attempts": task.attempts,
            "maxAttempts": task.max_attempts,
            "deps": deps,
            "labels": task.labels,
            "error": task.error,
            "createdAt": _ms(task.created_at),
            "updatedAt": _ms(task.updated_at),
            "startedAt": _ms(task.started_at),
            "completedAt": _ms(task.completed_at),
        }
    )


def model_shape(task: Task, deps: list[str]) -> dict[str, Any]:
    """A row as a model reads it, and the core of a row's own page."""
    shape = listed_shape(task, deps) | _clean({"context": task.context})
    if task.input is not None:
        shape["input"] = task.input
    if task.output is not None or task.status == Status.COMPLETED:
        shape["output"] = task.output
    more = {
        "feedback": task.feedback,
        "metadata": task.metadata or None,
        "author": task.author,
        "authorVerified": False if task.author else None,
    }
    return shape | _clean(more)


def rest_shape(task: Task, deps: list[str]) -> dict[str, Any]:
    """A row in a REST list or in a verb's answer: with its revision."""
    return listed_shape(task, deps) | {"revision": task.revision}


def detail_shape(task: Task, deps: list[str], stuck_on: list[str], events: list[TaskEvent]) -> dict[str, Any]:
    """A row's own answer: what a model reads, who holds it, and its history, oldest first."""
    more = {
        "revision": task.revision,
        "abandonments": task.abandonments,
        "createdBy": task.created_by,
        "heldBy": task.claimed_by,
        "leaseUntil": _ms(task.lease_until),
        "retryOf": task.retry_of,
        "stuckOn": stuck_on or None,
    }
    return model_shape(task, deps) | _clean(more) | {"events": [event_shape(event) for event in events]}


def event_shape(event: TaskEvent) -> dict[str, Any]:
    """One line of a row's history."""
    return _clean(
        {
            "kind": event.kind,
            "at": _ms(event.at),
            "principal": event.principal,
            "passname": event.passname,
            "seat": event.seat,
            "from": event.from_status,
            "to": event.to_status,
            "changes": event.changes or None,
            "revision": event.revision,
        }
    )


def tool_shape(task: Task) -> dict[str, Any]:
    """A row in the answer of ``listTasks``."""
    shape = {
        "id": task.task_id,
        "goal": task.goal,
        "status": task.status,
        "assignee": task.assignee,
        "attempts": task.attempts,
    }
    return _clean(shape)


def board_shape(board: Board, figures: dict[str, Any]) -> dict[str, Any]:
    """A board with its counts by status, how old its oldest ready row is, and whether anybody works it."""
    return {
        "id": board.board_id,
        "mailboxId": board.mailbox_id,
        "name": board.name,
        "live": board.live,
        "attended": figures["attended"],
        "counts": figures["counts"],
        "stuck": figures["stuck"],
        "orphaned": figures["orphaned"],
        "oldestReadyAt": figures["oldest_ready"],
        "oldestHeldAt": figures["oldest_held"],
    }
