"""Who holds a row, and how a holder proves it. See docs/boards.md, "Claims and tickets"."""

from __future__ import annotations

from typing import Any

from boards.errors import LostClaim
from boards.models import Task
from boards.tickets import Ticket, read_ticket
from boards.transitions import Status
from workforce.services.idempotency import digest_of

#: The columns of a row that nobody holds. The claim's number stays: it only ever rises.
NO_CLAIM: dict[str, Any] = {"claimed_by": "", "lease_seconds": 0, "lease_until": None}


def check_holds(task: Task, ticket: str | None) -> None:
    """Raise LostClaim when a ticket is given and does not hold the row now. Without one nothing is checked.

    A lapsed lease alone does not lose the claim: it is lost once somebody took the row back.
    """
    if ticket is None:
        return
    proof = Ticket(board=task.board_id, task=task.pk, claim_number=task.claim_number)
    if task.status != Status.IN_PROGRESS or read_ticket(ticket) != proof:
        raise LostClaim(f"the ticket does not hold '{task.task_id}', which is {task.status}; claim again")


def settlement(ticket: str | None, verb: str, content: Any = None) -> str:
    """What a row remembers of the holder's call that gave it away; nothing of a call without a ticket."""
    return "" if ticket is None else digest_of([ticket, verb, content])


def is_repeated(task: Task, mark: str) -> bool:
    """Whether this very call (ticket, verb and content) was done before: a lost answer is asked for again."""
    return bool(mark) and task.settled_with == mark
