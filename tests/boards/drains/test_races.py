"""Many processes drain, settle and stop at one moment: the database decides who works how much."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction

from boards.drains.draining import drain_board, drain_boards
from boards.drains.minding import mind_held
from boards.errors import LostClaim
from boards.hands import Hand
from boards.models import Task
from boards.services import settling
from tests.boards.drains.shifts import Puppet, Shift
from tests.boards.ledgers import Ledger, make_board
from tests.conftest import Mailbox, Player
from tests.racing import ON_POSTGRESQL, at_once
from workforce import clock
from workforce.dispatch.run import try_run
from workforce.dispatch.sweep import run_due
from workforce.models import Request, Seat, Session

pytestmark = ON_POSTGRESQL
ROUNDS = 6


def refused(answers: list[Any]) -> list[Any]:
    return [answer for answer in answers if isinstance(answer, Exception)]


def check_runs(shift: Shift) -> None:
    """One run per claim, each linked to by its row, and no seat at more than it may."""
    runs = Request.objects.filter(action="work").select_related("session__seat")
    working = Counter(run.session.seat for run in runs if not run.finished)
    for seat, number in working.items():
        assert number <= seat.settings.get("concurrency", 1), seat  # type: ignore[union-attr]
    for task in Task.objects.filter(status="in_progress"):
        (run,) = [run for run in runs if run.dispatch_key == f"work:{task.task_id}:{task.claim_number}"]
        assert task.run["requestId"] == str(run.uid)
    assert Task.objects.filter(status="in_progress").count() == sum(working.values())


@pytest.mark.parametrize(("concurrency", "rows"), [(1, 1), (1, 5), (3, 5), (5, 3)])
def test_drain__in_many_processes_hands_over_what_a_seat_may_work(
    shift: Shift, concurrency: int, rows: int
) -> None:
    shift.hire(concurrency=concurrency)
    for _ in range(ROUNDS):
        for number in range(rows):
            shift.ledger.file(str(number))
        answers = at_once(*[partial(drain_board, shift.board.pk)] * 4, drain_boards)
        assert not refused(answers), answers
        assert sum(answers) == min(concurrency, rows)
        check_runs(shift)
        Request.objects.all().delete()
        Task.objects.all().delete()


def test_drain__of_several_boards_and_seats(shift: Shift, mailbox: Mailbox) -> None:
    mailbox("a.b")
    other = Ledger(make_board(shift.board.organization, "a.b.c"))
    shift.hire("support.wren", "a.b.c", concurrency=2)
    shift.hire("support.robin", "a.b.c", concurrency=3)
    for ledger in (shift.ledger, other):
        for key in ("wren", "robin"):
            for _ in range(4):
                ledger.file(assignee=key)
    for _ in range(ROUNDS):
        answers = at_once(*[partial(drain_board, ledger.board.pk) for ledger in (shift.ledger, other)] * 2)
        assert not refused(answers), answers
        check_runs(shift)
        while run_due():
            pass
    assert set(Task.objects.values_list("status", flat=True)) == {"completed"}
    assert Request.objects.filter(action="work").count() == 16


def test_drain__while_runs_end(shift: Shift) -> None:
    shift.hire(concurrency=2)
    for number in range(3 * ROUNDS):
        shift.ledger.file(str(number))
    for _ in range(3 * ROUNDS):
        pending = list(Request.objects.filter(action="work", status="pending"))
        ends = [partial(try_run, run.uid) for run in pending]
        answers = at_once(*ends, *[partial(drain_board, shift.board.pk)] * 2)
        assert not refused(answers), answers
        check_runs(shift)
    shift.work()
    assert set(Task.objects.values_list("status", "attempts")) == {("completed", 1)}


def test_drain__beside_outside_claims(shift: Shift) -> None:
    shift.hire(concurrency=3)
    for _ in range(ROUNDS):
        for number in range(5):
            shift.ledger.file(str(number))
        claims = [partial(shift.ledger.claim, f"outside {number}") for number in range(3)]
        answers = at_once(*claims, *[partial(drain_board, shift.board.pk)] * 2)
        assert not refused(answers), answers
        outside = [answer[0].pk for answer in answers[:3] if answer]
        drained = list(Task.objects.filter(run__isnull=False).values_list("pk", flat=True))
        assert len({*outside, *drained}) == len(outside) + len(drained) == 5
        Request.objects.all().delete()
        Task.objects.all().delete()


def test_drain__beside_calls_that_lock_the_mailbox_and_then_its_rows(shift: Shift, owner: Player) -> None:
    """Two orders of the same locks would let one of both wait for the other."""
    type(shift.board).objects.update(actions=True)
    shift.hire(concurrency=9)
    for _ in range(ROUNDS * 2):
        task = shift.ledger.file()
        cancel = partial(
            owner.api.act, "support.help", "cancelTask_support_help_todo", {"taskId": task.task_id}
        )
        post = partial(owner.api.line, "support.help", "Hello.")
        handed, *_, cancelled, line = at_once(*[partial(drain_board, shift.board.pk)] * 2, cancel, post)
        assert handed in (0, 1)
        assert cancelled.status_code == 200, cancelled.content
        assert cancelled.json()["output"] == {"ok": True}
        assert line["body"] == "Hello."
        Request.objects.filter(action="work").update(status="aborted")


def test_drain__beside_the_retirement_of_the_seat(shift: Shift) -> None:
    seat = shift.hire(concurrency=9)
    for _ in range(ROUNDS):
        Seat.objects.update(retired_at=None)
        shift.ledger.file()

        def retire() -> None:
            Seat.objects.filter(pk=seat.pk).update(retired_at=clock.now())

        answers = at_once(retire, *[partial(drain_board, shift.board.pk)] * 2)
        assert not refused(answers), answers
        assert sum(answers[1:]) in (0, 1)
        at_once(*[partial(try_run, run.uid) for run in Request.objects.filter(status="pending")], mind_held)
        mind_held()
        (task,) = Task.objects.all()
        assert (task.status, task.attempts, task.claimed_by) == ("pending", 0, "")
        Task.objects.all().delete()


def test_result__against_the_recovery_of_a_lapsed_row(shift: Shift, puppet: Puppet) -> None:
    """Whatever comes first: one result is accepted, and it is that of the claim that holds the row."""
    shift.hire(kind="puppet", concurrency=2)
    for _ in range(ROUNDS):
        task = shift.ledger.file()
        shift.drain()
        (request,) = shift.runs(task)
        Request.objects.filter(pk=request.pk).update(status="failed", error={"code": "abandoned"})
        Task.objects.update(lease_until=clock.EPOCH)
        ticket = request.input["ticket"]
        late, handed = at_once(
            partial(shift.ledger.complete, task, "late", ticket=ticket),
            partial(drain_board, shift.board.pk),
        )
        row = shift.ledger.see(task)
        if isinstance(late, LostClaim):
            assert (handed, row.status, row.claim_number) == (1, "in_progress", 2)
            shift.work()
            row = shift.ledger.see(task)
            assert (row.status, row.output) == ("completed", "done")
        else:
            assert (handed, row.status, row.output) == (0, "completed", "late")
        assert task.events.filter(kind="completed").count() == 1


def test_minding__against_settlements(shift: Shift) -> None:
    shift.hire(concurrency=9)
    for _ in range(ROUNDS):
        task = shift.ledger.file(max_attempts=2)
        shift.drain()
        Request.objects.filter(action="work").update(status="aborted")
        answers = at_once(
            mind_held,
            mind_held,
            partial(settling.cancel_task, board=shift.board, task_id=task.task_id, by=Hand(principal="ada")),
        )
        assert not refused(answers), answers
        assert shift.ledger.see(task).status == "cancelled"


def test_drain__beside_the_end_of_its_mailbox(shift: Shift) -> None:
    shift.hire(concurrency=9)
    shift.ledger.file()

    def end() -> None:  # as the service that removes sessions does: locked first
        with transaction.atomic():
            Session.objects.select_for_update().get(pk=shift.mailbox.pk).delete()

    answers = at_once(end, *[partial(drain_board, shift.board.pk)] * 3)
    connection.close()
    assert not Session.objects.exists()
    assert not Request.objects.exists()
    assert all(answer in (0, 1) or "does not exist" in str(answer) for answer in answers[1:]), answers
