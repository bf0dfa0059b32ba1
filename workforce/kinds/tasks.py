"""What a worker is handed when it is to work a board's row, and who is told how it ended. See docs/boards.md."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from workforce.kinds.base import Call, ClosedModel

if TYPE_CHECKING:
    from workforce.kinds.work import Work


class TaskDelivery(ClosedModel):
    """One claimed row for one worker: the input of a kind's internal entry ``work``."""

    model_config = ConfigDict(alias_generator=to_camel, serialize_by_alias=True)

    board_id: str
    task_id: str
    ticket: str
    goal: str
    title: str = ""
    context: str = ""
    input: Any = None
    feedback: str = ""
    attempt: int = 1


#: The internal entry of a kind whose seats take rows themselves.
HEAR_READY = "onTaskReady"


class TaskReady(ClosedModel):
    """One row that became ready for a seat: the input of a kind's internal entry ``onTaskReady``."""

    model_config = ConfigDict(alias_generator=to_camel, serialize_by_alias=True)

    board_id: str
    task_id: str
    #: Which of the times that the row became ready.
    since: str


class Ledger(Protocol):
    """Where rows live: what a worker's run does to the row it was handed. Filled by the app that keeps boards."""

    def hold(self, work: Work, delivery: TaskDelivery) -> None:
        """Renew the row's lease now and at every beat of the run. Raises a refusal when the claim was lost."""

    def keep(self, delivery: TaskDelivery) -> bool:
        """Have the row held without a limit of time, by a worker that answers after its run; False when it was lost."""

    def complete(self, call: Call, delivery: TaskDelivery, output: Any) -> None:
        """Settle the row with the output, in the transaction of the call; nothing when it was settled already."""

    def fail(self, call: Call, delivery: TaskDelivery, error: str) -> None:
        """Fail the row (softly while it has attempts left), likewise."""


_LEDGERS: list[Ledger] = []


def register_ledger(ledger: Ledger) -> None:
    """Called once from ``AppConfig.ready()``; again replaces it."""
    _LEDGERS[:] = [ledger]


def get_ledger() -> Ledger:
    """The ledger of this process."""
    return _LEDGERS[0]
