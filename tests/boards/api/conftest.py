"""A board of the owner's organization, with rows that are filed and taken over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from django.http import HttpResponse
from django.utils.dateparse import parse_datetime

from boards.models import Board, BoardWorker, Task, TaskDep, TaskEvent, TaskLabel
from tests.conftest import Player
from workforce.models import IdempotencyRecord, Organization

LISTED = {
    "id", "title", "goal", "status", "assignee", "run", "priority", "attempts", "maxAttempts", "deps",
    "labels", "error", "createdAt", "updatedAt", "startedAt", "completedAt",
}  # fmt: skip
WORKED = LISTED | {"context", "input", "output", "feedback", "metadata", "author", "authorVerified"}
DETAIL = WORKED | {"revision", "abandonments", "createdBy", "heldBy", "leaseUntil", "retryOf", "events"}
LONG_AGO = parse_datetime("2020-01-01T00:00:00Z")


def make_board(organization: Organization, board_id: str = "engineering.desk.work", **fields: Any) -> Board:
    mailbox_id, _, name = board_id.rpartition(".")
    return Board.objects.create(
        organization=organization, board_id=board_id, **{"mailbox_id": mailbox_id, "name": name, **fields}
    )


@dataclass(frozen=True, slots=True)
class Desk:
    """A board as one caller sees it."""

    board: Board
    player: Player

    @property
    def path(self) -> str:
        return f"/api/boards/{self.board.board_id}"

    def file(self, goal: str = "Do it.", **body: Any) -> dict[str, Any]:
        """A row that must be accepted."""
        return done(self.player.api.post(f"{self.path}/tasks", {"goal": goal, **body}), 201)

    def claim(self, worker: str = "wren", **body: Any) -> tuple[dict[str, Any], str]:
        """Take a row that must be there; the row and the ticket."""
        answer = done(self.player.api.post(f"{self.path}/claim", {"worker": worker, **body}))
        return answer["task"], answer["ticket"]

    def do(self, task: str, verb: str, body: Any = None, **headers: str) -> HttpResponse:
        return self.player.api.post(f"{self.path}/tasks/{task}/{verb}", body or {}, **headers)

    def see(self, task: str) -> dict[str, Any]:
        """The row's own answer."""
        return done(self.player.api.get(f"{self.path}/tasks/{task}"))

    def kinds(self, task: str) -> list[str]:
        """What happened to the row, in order."""
        return [event["kind"] for event in self.see(task)["events"]]

    def as_(self, player: Player) -> Desk:
        """The same board for another caller."""
        return Desk(self.board, player)

    def lapse(self, task: str) -> None:
        """Let the lease of a held row lie in the past."""
        Task.objects.filter(task_id=task).update(lease_until=LONG_AGO)

    def row_in(self, status: str) -> str:
        """A row that stands so; its id."""
        task: str = self.file()["id"]
        if status in ("in_progress", "parked", "completed", "errored"):
            taken, ticket = self.claim()
            assert taken["id"] == task
            verbs = {
                "parked": ("park", {"question": "Which?"}),
                "completed": ("complete", {"output": 1}),
                "errored": ("fail", {"error": "no"}),
            }
            if status in verbs:
                verb, body = verbs[status]
                done(self.do(task, verb, {**body, "ticket": ticket}))
        elif status != "pending":
            done(self.do(task, {"blocked": "block", "cancelled": "cancel"}[status]))
        return task


def done(answer: HttpResponse, status: int = 200) -> dict[str, Any]:
    """The body of an answer that must have this status."""
    assert answer.status_code == status, (answer.status_code, answer.content)
    body: dict[str, Any] = answer.json()
    return body


@pytest.fixture
def desk(owner: Player) -> Desk:
    return Desk(make_board(owner.organization), owner)


@pytest.fixture
def workers(desk: Desk) -> None:
    """The board has declared workers: analyst and writer."""
    for key in ("analyst", "writer"):
        BoardWorker.objects.create(board=desk.board, worker_id=f"engineering.{key}", key=key)


def _rows() -> list[Any]:
    return [
        list(model.objects.order_by("pk").values())
        for model in (Task, TaskEvent, TaskDep, TaskLabel, IdempotencyRecord)
    ]


@contextmanager
def _same() -> Iterator[None]:
    before = _rows()
    yield
    assert _rows() == before


@pytest.fixture
def unwritten(db: None) -> Callable[[], AbstractContextManager[None]]:
    """The block leaves every row, event, dep, label and kept answer as it was."""
    return _same
