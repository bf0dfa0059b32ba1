"""What can be done to a row: each verb takes one closed body and calls one service."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from boards.api import inputs
from boards.hands import Hand
from boards.models import Board, Task
from boards.selectors.tasks import get_task
from boards.services import settling
from boards.services.claiming import renew_lease
from boards.services.dependencies import skip_dependents
from boards.services.editing import assign_task, update_task
from boards.tools.running import patch_of
from workforce.kinds import NoInput


@dataclass(frozen=True, slots=True)
class Act:
    """One call of a verb: which row, by whom, with which body, and the revision it must be at."""

    board: Board
    task_id: str
    by: Hand
    body: Any
    revision: int | None = None

    @property
    def row(self) -> dict[str, Any]:
        """What every service of a row takes."""
        return {
            "board": self.board,
            "task_id": self.task_id,
            "by": self.by,
            "if_revision": self.revision,
        }


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb: its name in the path, what it does in words, its body, and the service; that returns the row."""

    name: str
    words: str
    body: type[BaseModel]
    run: Callable[[Act], Task]


def _skip(act: Act) -> Task:
    skip_dependents(**act.row)
    return get_task(act.board, act.task_id)


VERBS = (
    Verb(
        "complete",
        "End a row with its output: the holder with its ticket, or somebody who settles it without one.",
        inputs.CompleteInput,
        lambda act: settling.complete_task(**act.row, output=act.body.output, ticket=act.body.ticket),
    ),
    Verb(
        "fail",
        "End the attempt: back to pending while attempts are left, else errored.",
        inputs.FailInput,
        lambda act: settling.fail_task(**act.row, error=act.body.error, ticket=act.body.ticket),
    ),
    Verb(
        "park",
        "Set a held row aside with a question.",
        inputs.ParkInput,
        lambda act: settling.park_task(**act.row, question=act.body.question, ticket=act.body.ticket),
    ),
    Verb(
        "answer",
        "Answer a parked row: it waits to be taken again, with the answer.",
        inputs.AnswerInput,
        lambda act: settling.answer_task(**act.row, answer=act.body.answer),
    ),
    Verb(
        "renew",
        "Move the lease of a held row.",
        inputs.RenewInput,
        lambda act: renew_lease(**act.row, ticket=act.body.ticket, lease_seconds=act.body.lease_seconds),
    ),
    Verb(
        "release",
        "Put a held row back; the attempt does not count.",
        inputs.ReleaseInput,
        lambda act: settling.release_task(**act.row, ticket=act.body.ticket),
    ),
    Verb(
        "block",
        "Hold a pending row back, or give a blocked one another reason.",
        inputs.ReasonInput,
        lambda act: settling.block_task(**act.row, reason=act.body.reason),
    ),
    Verb("unblock", "Let a blocked row go on.", NoInput, lambda act: settling.unblock_task(**act.row)),
    Verb(
        "cancel",
        "End a row without a result, held or not.",
        inputs.ReasonInput,
        lambda act: settling.cancel_task(**act.row, reason=act.body.reason),
    ),
    Verb(
        "assign",
        "Route a row to a worker key.",
        inputs.AssignInput,
        lambda act: assign_task(**act.row, assignee=act.body.assignee),
    ),
    Verb(
        "update",
        "Change priority, labels, metadata or assignee: the whole patch or nothing.",
        inputs.UpdateInput,
        lambda act: update_task(**act.row, patch=patch_of(act.body.patch)),
    ),
    Verb(
        "reclaim",
        "Take a row from whoever holds it; its attempts stay counted.",
        NoInput,
        lambda act: settling.reclaim_task(**act.row),
    ),
    Verb(
        "skip-dependents",
        "Cancel the rows that wait, directly or through others, for a row that ended without a result.",
        NoInput,
        _skip,
    ),
)
