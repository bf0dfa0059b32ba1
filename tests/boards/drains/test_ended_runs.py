"""A run that ended without a word to the board: the sweep tells it."""

from __future__ import annotations

from typing import Any

import pytest

from boards.drains.minding import mind_held
from boards.services import settling
from tests.boards.drains.shifts import Puppet, Shift, held
from tests.conftest import Player
from workforce import clock
from workforce.dispatch.run import try_run
from workforce.dispatch.sweep import run_registered
from workforce.kinds import Work
from workforce.models import Request, Seat


class TestEndedRuns:
    """A run that ended without a word to the board: the sweep tells it."""

    def test_abort__while_it_waits(self, shift: Shift, owner: Player) -> None:
        shift.hire()
        task, request = held(shift)
        assert owner.api.post(f"/api/requests/{request.uid}/abort", {}).status_code == 204
        run_registered()
        row = shift.ledger.see(task)
        assert (row.status, row.error) == ("errored", "its run was aborted")

    def test_abort__while_it_runs(self, shift: Shift, owner: Player) -> None:
        shift.hire()
        task, request = held(shift, max_attempts=2)

        def script(work: Any) -> None:
            assert owner.api.post(f"/api/requests/{request.uid}/abort", {}).status_code == 202
            work.check()
            raise AssertionError("it went on")

        shift.script = script
        assert try_run(request.uid)
        request.refresh_from_db()
        assert request.status == "aborted"
        mind_held()
        row = shift.ledger.see(task)
        assert (row.status, row.feedback, row.attempts) == ("pending", "its run was aborted", 1)

    @pytest.mark.parametrize(
        ("error", "said"),
        [
            (RuntimeError("secret"), "internal-error: the run failed by a defect (RuntimeError)"),
            (settling.IllegalStatusTransition("not\x00 now"), "illegal_status_transition: not\\0 now"),
        ],
    )
    def test_end__by_a_defect_or_a_refusal(
        self, shift: Shift, puppet: Puppet, error: Exception, said: str
    ) -> None:
        shift.hire(kind="puppet")
        task, request = held(shift)

        def play(work: Work) -> None:
            raise error

        puppet.play = play
        assert try_run(request.uid)
        assert shift.ledger.see(task).status == "in_progress"
        assert mind_held() == 1
        row = shift.ledger.see(task)
        assert row.status == "errored"
        assert row.error.startswith(said)
        assert shift.ledger.last(task).principal == ""
        assert mind_held() == 0

    def test_end__with_an_output_that_no_row_keeps(self, shift: Shift, puppet: Puppet) -> None:
        shift.hire(kind="puppet")
        task, _ = held(shift)
        puppet.play = lambda work: {"n": [float("nan")]}
        shift.work()
        run_registered()
        row = shift.ledger.see(task)
        assert (row.status, row.output) == ("errored", None)
        assert row.error == "invalid-input: output: n[0]: nan is not JSON; send a number or null"

    def test_end__of_a_run_that_left_the_row_to_its_holder(self, shift: Shift, puppet: Puppet) -> None:
        """A kind may hand the ticket on, to whoever settles the row with it."""
        shift.hire(kind="puppet")
        task, request = held(shift)
        Request.objects.filter(pk=request.pk).update(status="completed")
        assert mind_held() == 0
        shift.ledger.complete(task, "outside", ticket=request.input["ticket"])

    def test_retired__between_the_claim_and_the_run(self, shift: Shift, puppet: Puppet) -> None:
        shift.hire(kind="puppet")
        puppet.play = lambda work: pytest.fail("it was played")
        task, request = held(shift)
        Seat.objects.update(retired_at=clock.now())
        assert try_run(request.uid)
        request.refresh_from_db()
        assert request.error["code"] == "worker-retired"
        assert mind_held() == 1
        row = shift.ledger.see(task)
        assert (row.status, row.attempts) == ("pending", 0)
        assert shift.drain() == 0

    def test_minding__one_bad_row_does_not_stop_the_rest(
        self, shift: Shift, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from boards.drains import minding

        shift.hire(concurrency=2)
        rows = [shift.ledger.file(), shift.ledger.file()]
        shift.drain()
        Request.objects.update(status="aborted")
        fail = minding.fail_task

        def broken(**row: Any) -> Any:
            if row["task_id"] == rows[0].task_id:
                raise ValueError("broken row")
            return fail(**row)

        monkeypatch.setattr(minding, "fail_task", broken)
        assert mind_held() == 1
        assert [shift.ledger.see(row).status for row in rows] == ["in_progress", "errored"]
