"""Which seats are on call for rows of boards: the roster's question."""

from __future__ import annotations

import pytest

from boards.models import Board, BoardWorker, Task
from boards.transitions import Status
from tests.boards.ledgers import Ledger
from workforce.models import Seat, Session, User
from workforce.selectors.shifts import Shift, seats_standing, standings_of
from workforce.services.organizations import ensure_user


def hire(ledger: Ledger, worker: str, owner: User | None = None) -> Seat:
    organization = ledger.board.organization
    return Seat.objects.create(organization=organization, seat_id=worker, kind="agent", owner=owner)


def shift_of(seat: Seat) -> Shift:
    """By the seat and by the lists, which agree."""
    shift = standings_of([seat])[seat.pk].shift
    assert [each for each in Shift if seat in seats_standing(Seat.objects.all(), each)] == [shift]
    return shift


@pytest.mark.parametrize("status", Status)
def test_shift__of_a_worker_with_a_row(ledger: Ledger, status: Status) -> None:
    seat, other = hire(ledger, "support.wren"), hire(ledger, "support.owl")
    for worker in (seat, other):
        key = worker.seat_id.partition(".")[2]
        BoardWorker.objects.create(board=ledger.board, worker_id=worker.seat_id, key=key)
    row = ledger.row_in(status)
    Task.objects.filter(pk=row.pk).update(assignee="wren")
    owes = status in (Status.PENDING, Status.IN_PROGRESS, Status.PARKED)
    assert shift_of(seat) == (Shift.ON_CALL if owes else Shift.OFF_SHIFT)
    assert shift_of(other) == Shift.OFF_SHIFT
    Seat.objects.update(retired_at=seat.hired_at)
    seat.refresh_from_db()
    assert shift_of(seat) == Shift.OFF_SHIFT


def test_shift__a_row_that_waits_for_others_is_not_owed_yet(ledger: Ledger) -> None:
    seat = hire(ledger, "support.wren")
    BoardWorker.objects.create(board=ledger.board, worker_id="support.wren", key="wren")
    first = ledger.file()
    waiting = ledger.file(deps=[first.task_id])
    Task.objects.filter(pk=waiting.pk).update(assignee="wren")
    assert shift_of(seat) == Shift.OFF_SHIFT


def test_shift__of_a_delegate_with_a_row_of_a_conversation(ledger: Ledger) -> None:
    """A conversation names workers by their ids, and a user's own only in that user's conversations."""
    ada, bob = ensure_user(username="ada-own"), ensure_user(username="bob-own")
    seat, own, anothers = hire(ledger, "support.wren"), hire(ledger, "mine", ada), hire(ledger, "mine", bob)
    conversation = Session.objects.create(
        organization=ledger.board.organization, owner=ada, kind="agent", address="talk"
    )
    Board.objects.filter(pk=ledger.board.pk).update(session=conversation)
    row = ledger.row_in(Status.PARKED)
    for assignee, on_call in (("support.wren", [seat]), ("mine", [own])):
        Task.objects.filter(pk=row.pk).update(assignee=assignee)
        found = [worker for worker in (seat, own, anothers) if shift_of(worker) == Shift.ON_CALL]
        assert found == on_call
