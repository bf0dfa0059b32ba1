"""What a worker hears of a task that it filed. See docs/delegation.md, "The conversation's board"."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from workforce.kinds.base import ClosedModel
from workforce.names import is_word

#: The internal entry of a kind that hears how its tasks ended.
HEAR = "onTaskSettled"

_WORDS = {"completed": "was completed", "errored": "failed for good", "parked": "waits for an answer"}
_GUIDES = {
    "completed": "Go on with the result, or answer whoever asked for it.",
    "errored": "It is not run again. File another task, do without it, or say that it failed.",
    "parked": "Answer with answerTask_tasks and this task's id; the worker then goes on where it stopped.",
}


class TaskEnding(ClosedModel):
    """How one task stands that needs its filer: the input of a kind's internal entry ``onTaskSettled``."""

    model_config = ConfigDict(alias_generator=to_camel, serialize_by_alias=True)

    board_id: str
    task_id: str
    #: The worker that the task was assigned to.
    worker: str
    title: str
    status: Literal["completed", "errored", "parked"]
    #: The output, the error or the question.
    text: str

    def line(self) -> str:
        """The ending as the filer's conversation shows it, under the worker's id."""
        return f'Task "{self.title}" ({self.task_id}) {_WORDS[self.status]}: {self.text}'

    def opening(self) -> str:
        """The server's words before it in the turn that it wakes."""
        worker = f" for {self.worker}" if is_word(self.worker) else ""
        return f"A task that you filed{worker} {_WORDS[self.status]}:"

    def guide(self) -> str:
        """The server's words after it."""
        return f"[This comes from the task, not from the user. {_GUIDES[self.status]}]"
