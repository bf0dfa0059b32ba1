"""A row and its run: who holds it while workers are slow or die."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest

from boards.drains.draining import drain_boards
from boards.drains.leases import lease_seconds
from boards.drains.minding import mind_held
from boards.models import Task
from boards.services import settling
from boards.services.editing import assign_task
from tests.boards.drains.shifts import Puppet, Shift, die, held
from tests.boards.ledgers import Moment, unwritten
from tests.stories.server import until
from workforce import clock
from workforce.dispatch import heartbeat
from workforce.dispatch.run import try_run
from workforce.dispatch.sweep import run_due, run_registered
from workforce.kinds import Failure, RunLost, Work
from workforce.models import Request, Seat


def test_lease__outlasts_a_death_and_the_sweep_that_finds_it(settings: Any) -> None:
    settings.DISPATCH_LEASE_SECONDS, settings.DISPATCH_SWEEP_SECONDS = 60, 15
    assert lease_seconds() == 150
    settings.DISPATCH_LEASE_SECONDS = settings.DISPATCH_SWEEP_SECONDS = 3600
    assert lease_seconds() <= 24 * 3600
    settings.DISPATCH_LEASE_SECONDS = settings.DISPATCH_SWEEP_SECONDS = 1
    assert lease_seconds() == 4


def test_hold__renews_at_once_and_at_every_beat(
    transactional_db: None, shift: Shift, puppet: Puppet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "lease", lambda: timedelta(seconds=0.2))
    shift.hire(kind="puppet")
    task, request = held(shift)

    def play(work: Work) -> str:
        assert shift.ledger.see(task).lease_until > clock.now()  # type: ignore[operator]
        for _ in range(2):
            Task.objects.update(lease_until=clock.EPOCH)
            until(lambda: shift.ledger.see(task).lease_until > clock.now())  # type: ignore[operator]
        return "kept"

    puppet.play = play
    Task.objects.update(lease_until=clock.EPOCH)
    assert try_run(request.uid)
    assert shift.ledger.see(task).output == "kept"
    assert shift.ledger.kinds(task) == ["added", "claimed", "run_linked", "completed"]


def test_hold__refuses_what_is_held_no_more(shift: Shift, puppet: Puppet) -> None:
    shift.hire(kind="puppet")
    puppet.play = lambda work: pytest.fail("it was played")
    task, request = held(shift)
    shift.ledger.do(settling.cancel_task, task, reason="not needed")
    with unwritten():
        assert try_run(request.uid)
    request.refresh_from_db()
    assert (request.status, request.error["code"]) == ("failed", "lost-claim")
    assert drain_boards() == 0


def test_beat__of_a_row_that_was_settled_is_quiet(
    transactional_db: None, shift: Shift, puppet: Puppet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(heartbeat, "lease", lambda: timedelta(seconds=0.2))
    loud = threading.Event()
    monkeypatch.setattr(heartbeat.log, "exception", lambda *_, **__: loud.set())
    shift.hire(kind="puppet")
    task, request = held(shift)

    def play(work: Work) -> str:
        shift.ledger.complete(task, "by hand")
        assert not loud.wait(0.4)
        return "too late"

    puppet.play = play
    assert try_run(request.uid)
    request.refresh_from_db()
    assert (shift.ledger.see(task).output, request.status) == ("by hand", "completed")


@pytest.mark.parametrize("late", ["done", Failure(settling.IllegalStatusTransition("no"))])
@pytest.mark.parametrize(
    "settle",
    [
        lambda ledger, task: ledger.complete(task, "by hand"),
        lambda ledger, task: ledger.fail(task, "by hand"),
        lambda ledger, task: ledger.do(settling.cancel_task, task),
        lambda ledger, task: ledger.do(settling.reclaim_task, task),
    ],
    ids=["completed", "failed", "cancelled", "reclaimed"],
)
def test_result__that_comes_late_counts_for_nothing(
    shift: Shift, puppet: Puppet, settle: Any, late: Any
) -> None:
    shift.hire(kind="puppet")
    task, request = held(shift)
    settled: list[Any] = []

    def play(work: Work) -> Any:
        settle(shift.ledger, task)
        settled.append(Task.objects.values().get(pk=task.pk))
        return late

    puppet.play = play
    assert try_run(request.uid)
    assert Task.objects.values().get(pk=task.pk) == settled[0]
    request.refresh_from_db()
    assert request.status == ("completed" if late == "done" else "failed")


def test_result__of_a_run_whose_row_another_holds(shift: Shift, puppet: Puppet) -> None:
    """Two runs of one row: only the one that holds it is accepted."""
    shift.hire(kind="puppet", concurrency=2)
    task, request = held(shift)

    def play(work: Work) -> Any:
        if work.request.pk != request.pk:
            return "second"
        shift.ledger.do(settling.reclaim_task, task)
        assert shift.drain() == 1
        return "first"

    puppet.play = play
    assert try_run(request.uid)
    row = shift.ledger.see(task)
    assert (row.status, row.claim_number, row.output) == ("in_progress", 2, None)
    shift.work()
    assert shift.ledger.see(task).output == "second"
    assert [run.status for run in shift.runs(task)] == ["completed", "completed"]


class TestDeath:
    def test_death__the_next_worker_has_the_same_claim(self, shift: Shift) -> None:
        shift.hire()
        task, request = held(shift)
        die(request)
        run_registered()
        assert run_due() == 1
        row = shift.ledger.see(task)
        assert (row.status, row.attempts, row.abandonments, row.claim_number) == ("completed", 1, 0, 1)
        request.refresh_from_db()
        assert (request.status, request.attempts) == ("completed", 2)

    def test_death__of_three_workers_lets_the_row_lapse(self, shift: Shift, moment: Moment) -> None:
        shift.hire()
        task, request = held(shift)
        for _ in range(3):
            die(request)
        assert run_due() == 0
        request.refresh_from_db()
        assert (request.status, request.error["code"]) == ("failed", "abandoned")
        assert drain_boards() == mind_held() == 0  # it has not lapsed
        moment.go(lease_seconds() + 1)
        assert drain_boards() == 1
        shift.work()
        row = shift.ledger.see(task)
        assert (row.status, row.attempts, row.abandonments) == ("completed", 2, 1)

    def test_death__of_a_row_that_is_no_workers_any_more(self, shift: Shift, moment: Moment) -> None:
        """It was the only worker's; with two of them nobody takes what is assigned to nobody."""
        shift.hire()
        task, request = held(shift)
        for _ in range(3):
            die(request)
        run_due()
        shift.hire("support.robin")
        assert mind_held() == 0  # it has not lapsed
        moment.go(lease_seconds() + 1)
        assert mind_held() == 1
        row = shift.ledger.see(task)
        assert (row.status, row.claimed_by, row.attempts, row.abandonments) == ("pending", "", 1, 0)
        assert shift.ledger.last(task).kind == "reclaimed"
        assert (mind_held(), shift.drain()) == (0, 0)
        shift.ledger.do(assign_task, task, assignee="robin")
        shift.work()
        assert shift.who(task) == "support.robin"

    def test_death__with_the_session_gone(self, shift: Shift, moment: Moment) -> None:
        shift.hire()
        task, request = held(shift)
        request.session.delete()
        Seat.objects.update(retired_at=clock.now())
        moment.go(lease_seconds() + 1)
        assert mind_held() == 1
        assert shift.ledger.see(task).status == "pending"

    def test_death__of_every_worker_ends_the_row(self, shift: Shift, moment: Moment) -> None:
        shift.hire()
        task = shift.ledger.file(max_attempts=9)
        for _ in range(4):
            assert shift.drain() == 1
            for _ in range(3):
                die(shift.runs(task)[-1])
            run_due()
            moment.go(lease_seconds() + 1)
        assert shift.drain() == 0
        row = shift.ledger.see(task)
        assert (row.status, row.claimed_by) == ("errored", "")
        assert row.error.startswith("abandoned: its workers stopped renewing 4 times")

    def test_queue__a_row_whose_run_waits_keeps_its_lease(self, shift: Shift, moment: Moment) -> None:
        shift.hire()
        task, _ = held(shift)
        for _ in range(5):  # all that time every worker is busy elsewhere
            moment.go(lease_seconds() / 2 + 1)
            run_registered()
        assert moment.now < shift.ledger.see(task).lease_until  # type: ignore[operator]
        assert shift.ledger.claim("outside") is None
        shift.work()
        row = shift.ledger.see(task)
        assert (row.status, row.attempts, row.abandonments) == ("completed", 1, 0)

    def test_queue__kept_before_it_is_taken_back_or_given_up(self, shift: Shift, moment: Moment) -> None:
        """No sweep ran for long: what lapsed and is still to be run is nobody else's."""
        shift.hire(concurrency=5)
        task, _ = held(shift)
        Task.objects.update(abandonments=3)
        moment.go(lease_seconds() * 9)
        run_registered()
        row = shift.ledger.see(task)
        assert (row.status, row.claim_number, len(shift.runs(task))) == ("in_progress", 1, 1)
        moment.go(lease_seconds() * 9)
        for abandonments in (3, 0):
            Task.objects.update(abandonments=abandonments, lease_until=clock.EPOCH)
            assert shift.drain() == 0
            row = shift.ledger.see(task)
            assert (row.status, row.claim_number) == ("in_progress", 1)


def test_run__of_a_lost_lease_settles_nothing(shift: Shift, puppet: Puppet) -> None:
    shift.hire(kind="puppet")
    task, request = held(shift)

    def play(work: Work) -> str:
        Request.objects.update(claimed_by="another")
        with pytest.raises(RunLost):
            work.check()
        return "late"

    puppet.play = play
    assert try_run(request.uid)
    assert shift.ledger.see(task).status == "in_progress"
