"""Any sequence of filings, drains, runs, deaths and stops leaves no row held for ever, and none done twice."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from boards.models import Task
from boards.services import settling
from boards.transitions import Status
from mailboxes.state import opening_state
from tests.boards.drains.shifts import Shift
from tests.boards.ledgers import ADA, Ledger, Moment, facts, make_board, replay
from tests.factories import make_organization, make_user
from workforce import clock
from workforce.dispatch.claim import claim
from workforce.dispatch.run import try_run
from workforce.dispatch.sweep import run_due, run_registered
from workforce.errors import DomainError
from workforce.kinds import handlers
from workforce.kinds.handlers import HandlerTask
from workforce.models import Request, Seat, Session

HANDS = {"support.wren": 2, "support.robin": 1}
OUTCOMES = ("done", "failed", "cancelled meanwhile", "reclaimed meanwhile", "completed meanwhile")
numbers = st.integers(min_value=0, max_value=7)


class DrainMachine(RuleBasedStateMachine):
    """Two workers that may come and go, one coordinator, one outside worker, and workers' processes that die."""

    moment: Moment

    def __init__(self) -> None:
        super().__init__()
        self.savepoint = transaction.savepoint()
        user = make_user()
        board = make_board(make_organization())
        mailbox = Session.objects.create(
            organization=board.organization,
            owner=user,
            address="support.help",
            kind="mailbox",
            state=opening_state(members=[], charter=""),
        )
        self.shift = Shift(Ledger(board), mailbox, self._play)
        handlers._HANDLERS["scripted"] = self.shift.handle
        self.outcome = "done"
        #: What each handler returned, by row: only one of them may be the row's output.
        self.returned: dict[str, set[str]] = {}

    def teardown(self) -> None:
        try:
            self._come_to_rest()
        finally:
            transaction.savepoint_rollback(self.savepoint)

    def _come_to_rest(self) -> None:
        """With living workers and time, whatever happened before, no row stays held and nothing is left to run."""
        self.outcome = "done"
        for seat in HANDS:
            self._set_hired(seat, True)
        for _ in range(30):
            run_registered()
            run_due()
            self.moment.go(200)
        self.every_row_is_sound()
        left = Task.objects.filter(status__in=[Status.PENDING, Status.IN_PROGRESS])
        # Two workers drain the board: what is assigned to nobody waits, and so does what a dead stranger held.
        assert {task.assignee for task in left} <= {""}
        assert not left.filter(run__isnull=False, status=Status.IN_PROGRESS)
        assert not Request.objects.filter(Request.IS_UNFINISHED).exists()

    @initialize()
    def workers(self) -> None:
        for seat, hands in HANDS.items():
            self.shift.hire(seat, concurrency=hands)

    def _play(self, task: HandlerTask) -> Any:
        row = {"board": self.shift.board, "task_id": task.task_id, "by": ADA}
        if self.outcome == "failed":
            raise ValueError("no luck")
        if self.outcome == "cancelled meanwhile":
            settling.cancel_task(**row)
        if self.outcome == "reclaimed meanwhile":
            settling.reclaim_task(**row)
        if self.outcome == "completed meanwhile":
            settling.complete_task(**row, output="by hand")
        said = f"{task.attempt} of {len(self.shift.seen)}"
        self.returned.setdefault(task.task_id, set()).add(said)
        return said

    def _pending(self, number: int) -> Request | None:
        runs = list(Request.objects.filter(Request.IS_UNFINISHED, action="work").order_by("id"))
        return runs[number % len(runs)] if runs else None

    def _set_hired(self, seat: str, hired: bool) -> None:
        Seat.objects.filter(seat_id=seat).update(retired_at=None if hired else self.moment.now)
        self.shift.settle()

    @rule(assignee=st.sampled_from(["", "wren", "robin"]), attempts=st.sampled_from([None, 2, 3]))
    @precondition(lambda self: Task.objects.filter(board=self.shift.board).count() < 8)
    def file(self, assignee: str, attempts: int | None) -> None:
        try:
            self.shift.ledger.file(assignee=assignee, max_attempts=attempts)
        except DomainError:
            assert not Seat.objects.filter(seat_id=f"support.{assignee}", retired_at=None).exists()

    @rule()
    def drain(self) -> None:
        self.shift.drain()

    @rule()
    def sweep(self) -> None:
        run_registered()

    @rule(number=numbers, outcome=st.sampled_from(OUTCOMES))
    def run(self, number: int, outcome: str) -> None:
        self.outcome = outcome
        run = self._pending(number)
        if run is not None:
            try_run(run.uid)

    @rule(number=numbers)
    def die(self, number: int) -> None:
        run = self._pending(number)
        if run is not None and claim(run.uid) is not None:
            Request.objects.filter(pk=run.pk).update(lease_until=clock.EPOCH)

    @rule(number=numbers)
    def abort(self, number: int) -> None:
        run = self._pending(number)
        if run is not None:
            Request.objects.filter(pk=run.pk, status="pending").update(status="aborted")

    @rule(seconds=st.sampled_from([1, 40, 80, 160, 1000]))
    def go(self, seconds: int) -> None:
        self.moment.go(seconds)

    @rule(number=numbers, verb=st.sampled_from(["cancel_task", "reclaim_task"]))
    def coordinate(self, number: int, verb: str) -> None:
        rows = list(Task.objects.order_by("pk"))
        if rows:
            with suppress(DomainError):
                self.shift.ledger.do(getattr(settling, verb), rows[number % len(rows)])

    @rule()
    def claim_outside(self) -> None:
        self.shift.ledger.claim("outside", lease=30)

    @rule(seat=st.sampled_from(sorted(HANDS)), hired=st.booleans())
    def staff(self, seat: str, hired: bool) -> None:
        self._set_hired(seat, hired)

    @invariant()
    def every_row_is_sound(self) -> None:
        keys = set(Request.objects.filter(action="work").values_list("dispatch_key", flat=True))
        for task in Task.objects.all():
            history = replay(task)
            assert history.pop("run", None) == task.run
            assert history == facts(task)
            if task.status == Status.IN_PROGRESS and task.run:
                assert f"work:{task.task_id}:{task.claim_number}" in keys
            events = Counter(task.events.values_list("kind", flat=True))
            assert events["completed"] == (task.status == Status.COMPLETED)
            assert events["claimed"] == task.claim_number
            if task.status == Status.COMPLETED and task.output != "by hand":
                assert task.output in self.returned[task.task_id]

    @invariant()
    def no_seat_works_too_much(self) -> None:
        unfinished = Request.objects.filter(Request.IS_UNFINISHED, action="work")
        working = Counter(unfinished.values_list("session__seat__seat_id", flat=True))
        assert all(number <= HANDS[seat] for seat, number in working.items()), working


@pytest.mark.django_db
def test_drains__any_sequence(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = Moment(clock.now())
    monkeypatch.setattr(clock, "now", lambda: moment.now)
    monkeypatch.setattr(handlers, "_HANDLERS", {})
    machine = type("Machine", (DrainMachine,), {"moment": moment})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=15,
            stateful_step_count=30,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
