"""Calls of the tools of a conversation's board, and what they answered."""

from __future__ import annotations

from typing import Any

from boards.models import Task
from workforce.models import Item, Session

EIGHT = [
    "addTask",
    "assignTask",
    "updateTask",
    "listTasks",
    "completeTask",
    "failTask",
    "blockTask",
    "cancelTask",
]


def add(goal: str = "Find it.", **more: Any) -> list[tuple[str, Any]]:
    return [("addTask_tasks", {"goal": goal, **more})]


def tell(tool: str, **input: Any) -> list[tuple[str, Any]]:
    return [(f"{tool}_tasks", input)]


def outputs(session: Session, tool: str = "") -> list[Any]:
    rows = (
        Item.objects.filter(session=session, type="tool_output")
        .order_by("seq")
        .values_list("data", flat=True)
    )
    return [data["output"] for data in rows if data and data["tool"].startswith(tool)]


def codes(session: Session, tool: str = "") -> list[str]:
    return [str(output.get("error", "ok")).partition(":")[0] for output in outputs(session, tool)]


def row() -> Task:
    return Task.objects.get()
