"""What a worker's run does to the row it was handed: fills ``workforce.kinds.tasks.Ledger``."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

from boards.drains.leases import hand_of, lease_seconds
from boards.drains.words import fit_error
from boards.errors import IllegalStatusTransition, LostClaim, TaskNotFound
from boards.hands import Hand
from boards.limits import check_value
from boards.models import Task
from boards.services.calling import call_workers_on_commit
from boards.services.claiming import renew_lease
from boards.services.settling import complete_task, fail_task
from boards.tickets import read_ticket
from boards.transitions import Status
from workforce.errors import InvalidInput
from workforce.kinds import Call, Work
from workforce.kinds.tasks import TaskDelivery
from workforce.models import Seat, Session
from workforce.turns.errors import WorkerRetired

#: What a late result meets: the row was settled by the worker's own tool, by somebody else, or taken back.
_SETTLED_BEFORE = (LostClaim, IllegalStatusTransition, TaskNotFound)


class BoardLedger:
    """The rows of boards, for the runs of workers. Whoever lost the row changes nothing of it."""

    def hold(self, work: Work, delivery: TaskDelivery) -> None:
        """Renew the row's lease now and at every beat. Raises LostClaim, and WorkerRetired for a seat that left."""
        seat = _seat_of(work.session)
        if seat.retired_at is not None:
            raise WorkerRetired(f"'{seat.seat_id}' was retired; its rows go to other workers")
        if seat.kind != work.session.kind:
            raise WorkerRetired(f"'{seat.seat_id}' is a '{seat.kind}' by now; its rows are handed out again")
        renew = partial(_renew, delivery, hand_of(work.session, seat))
        renew()
        work.at_every_beat(partial(_renew_quietly, renew))

    def keep(self, delivery: TaskDelivery) -> bool:
        """Take the lease off the row, which then lapses no more; as a renewal, no change. False for a lost claim."""
        ticket = read_ticket(delivery.ticket)
        if ticket is None:
            return False
        held = Task.objects.filter(pk=ticket.task, board=ticket.board, claim_number=ticket.claim_number)
        return bool(held.filter(status=Status.IN_PROGRESS).update(lease_until=None))

    def complete(self, call: Call, delivery: TaskDelivery, output: Any) -> None:
        """Settle the row with the output. Raises InvalidInput for what is not strict JSON, or too large."""
        try:
            check_value(output)
        except ValueError as fault:
            raise InvalidInput.at("output", str(fault)) from None
        self._settle(call, delivery, partial(complete_task, output=output))

    def fail(self, call: Call, delivery: TaskDelivery, error: str) -> None:
        """Fail the row with the text, cut to what a row keeps."""
        self._settle(call, delivery, partial(fail_task, error=fit_error(error)))

    def _settle(self, call: Call, delivery: TaskDelivery, settle: Any) -> None:
        row = _row_of(delivery)
        if row is None:
            return
        by = hand_of(call.session, _seat_of(call.session))
        with suppress(*_SETTLED_BEFORE):
            settle(board=row.board, task_id=row.task_id, by=by, ticket=delivery.ticket)
        call_workers_on_commit(row.board_id)  # a hand is free, whatever became of the row


def _seat_of(session: Session) -> Seat:
    assert session.seat is not None, "only seats are handed rows"
    return session.seat


def _row_of(delivery: TaskDelivery) -> Task | None:
    ticket = read_ticket(delivery.ticket)
    if ticket is None:
        return None
    return Task.objects.select_related("board").filter(pk=ticket.task, board=ticket.board).first()


def _renew(delivery: TaskDelivery, by: Hand) -> None:
    row = _row_of(delivery)
    if row is None:
        raise LostClaim(f"the ticket holds no row; '{delivery.task_id}' is gone")
    renew_lease(
        board=row.board,
        task_id=row.task_id,
        by=by,
        ticket=delivery.ticket,
        lease_seconds=lease_seconds(),
    )


def _renew_quietly(renew: partial[None]) -> None:
    """A beat of a run whose row was settled meanwhile renews nothing; its result will count for nothing."""
    with suppress(*_SETTLED_BEFORE):
        renew()
