"""The board of the admin's world, for those who stand before its pages."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from boards.admin.acts import BY_NAME
from boards.models import Task
from tests.boards.ledgers import Ledger
from tests.workforce.admin.conftest import World, elsewhere, login, operator, superuser, world

__all__ = ["elsewhere", "login", "operator", "superuser", "world"]


@pytest.fixture
def ledger(world: World) -> Ledger:
    """The board, without the row that the world filed on it."""
    Task.objects.filter(board=world.rows["boards.board"]).delete()
    return Ledger(world.rows["boards.board"])


def board_path(ledger: Ledger, more: str = "change/") -> str:
    return f"/admin/boards/board/{ledger.board.pk}/{more}"


def task_path(task: Task, more: str = "change/") -> str:
    return f"/admin/boards/task/{task.pk}/{more}"


def press(client: Client, task: Task, name: str, **data: Any) -> Any:
    """POST an act with the revision of the row as it was given."""
    assert name in BY_NAME
    return client.post(task_path(task, f"{name}/"), {"revision": task.revision, **data})


def said(answer: Any) -> list[str]:
    """The messages of a page."""
    return [str(message) for message in answer.context["messages"]]
