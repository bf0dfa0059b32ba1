"""What is refused about a user's own workers. See docs/workers.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workforce.errors import DomainError, InvalidInput
from workforce.inputs import SHOWN
from workforce.refusals import quoted
from workforce.roster.faults import Fault

#: What is said of one fault; a caller may have named thousands of things that do not exist.
LONGEST = 4_000


class WorkerTaken(DomainError):
    """The user has a worker of this id, or the organization has."""

    code = "worker-taken"
    status = 409


class StandardWorker(DomainError):
    """The worker is the organization's: its file decides. It can be forked."""

    code = "standard-worker"
    status = 409

    @classmethod
    def of(cls, worker_id: str, verb: str) -> StandardWorker:
        return cls(
            f"{quoted(worker_id)} is a standard worker, which its file in the tree decides: it cannot be {verb}; "
            "fork it under an id of your own"
        )


class NoConversation(DomainError):
    """A worker of this kind only takes tasks; nobody talks to it."""

    code = "no-conversation"
    status = 409


def faulty_worker(faults: Sequence[Fault]) -> InvalidInput:
    """Every fault of a worker in one refusal; past twenty, how many more there are. Long ones are cut."""
    shown = [replace(fault, words=_cut(fault.words)) for fault in faults[:SHOWN]]
    sentence = "; ".join(map(str, shown))
    if len(faults) > SHOWN:
        sentence += f"; and {len(faults) - SHOWN} more"
    return InvalidInput(sentence, errors=[{"path": fault.path, "message": fault.words} for fault in shown])


def _cut(words: str) -> str:
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}…"
