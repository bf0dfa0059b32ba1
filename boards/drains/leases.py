"""How long a drained row is held, and who holds it."""

from __future__ import annotations

from django.conf import settings

from boards.hands import Hand
from boards.models import Task
from boards.tickets import Ticket, write_ticket
from workforce.models import Seat, Session


def lease_seconds() -> int:
    """The lease of a row that a worker drains: twice the time in which a dead run is found and run again.

    It is renewed at every beat of the run, that is at a quarter of the run's own lease.
    """
    return int(2 * (settings.DISPATCH_LEASE_SECONDS + settings.DISPATCH_SWEEP_SECONDS))


def dispatch_key(task: Task) -> str:
    """The hand-over of a row's present claim: one request, however often it is looked for."""
    return f"work:{task.task_id}:{task.claim_number}"


def ticket_of(task: Task) -> str:
    """The ticket of the row's present claim."""
    return write_ticket(Ticket(board=task.board_id, task=task.pk, claim_number=task.claim_number))


def hand_of(session: Session, seat: Seat) -> Hand:
    """A seat that works in a session: the principal is the session's owner."""
    return Hand(principal=session.owner.username, seat=seat.seat_id)
