"""Any sequence of calls by three workers, a coordinator and a clock keeps a board sound."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

import pytest
from django.db import transaction
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from boards.errors import LostClaim
from boards.models import Task, TaskDep, TaskLabel
from boards.services import settling
from boards.services.claiming import renew_lease
from boards.services.dependencies import skip_dependents
from boards.services.editing import Patch, update_task
from boards.services.sweeping import settle_abandoned
from boards.transitions import MAX_ABANDONMENTS, Status, is_ending
from tests.boards.ledgers import ADA, ENDINGS, Ledger, Moment, all_rows, facts, make_board, replay
from tests.factories import make_organization
from workforce import clock
from workforce.errors import DomainError

WORKERS = ("wren", "robin", "finch")
LEASE = 10
#: Each move that an event may show.
MOVES = {
    ("", "pending"), ("pending", "in_progress"), ("pending", "blocked"), ("pending", "cancelled"),
    ("in_progress", "in_progress"), ("in_progress", "pending"), ("in_progress", "parked"),
    ("in_progress", "completed"), ("in_progress", "errored"), ("in_progress", "cancelled"),
    ("blocked", "pending"), ("blocked", "blocked"), ("blocked", "cancelled"), ("parked", "pending"),
    ("parked", "completed"), ("parked", "errored"), ("parked", "cancelled"),
}  # fmt: skip
rows = st.integers(min_value=0, max_value=7)
workers = st.sampled_from(WORKERS)


class BoardMachine(RuleBasedStateMachine):
    """The model: who was handed which ticket last for which row, and what ended how."""

    moment: Moment

    def __init__(self) -> None:
        super().__init__()
        self.savepoint = transaction.savepoint()
        self.ledger = Ledger(make_board(make_organization()))
        self.filed: list[int] = []
        #: Every ticket that was handed out: row, ticket, who, number of the claim.
        self.tickets: list[tuple[int, str, str]] = []
        self.newest: dict[int, str] = {}
        #: The rows of which the newest ticket is good, as far as calls alone decide.
        self.holds: dict[int, str] = {}
        self.ended: dict[int, tuple[Any, ...]] = {}
        self.reclaims: dict[int, int] = {}

    def teardown(self) -> None:
        transaction.savepoint_rollback(self.savepoint)

    @initialize()
    def some_rows(self) -> None:
        for number in range(2):
            self._file(max_attempts=number + 1)

    def _file(self, **fields: Any) -> None:
        self.filed.append(self.ledger.file(**fields).pk)

    def _task(self, number: int) -> Task:
        return Task.objects.get(pk=self.filed[number % len(self.filed)])

    @contextmanager
    def _refusable(self):
        """A refusal writes nothing."""
        before = all_rows()
        try:
            yield
        except DomainError:
            assert all_rows() == before

    @rule(
        allowed=st.sampled_from([None, 1, 2, 3]),
        priority=st.sampled_from([None, 0, 2]),
        dep=rows,
        waits=st.booleans(),
    )
    @precondition(lambda self: len(self.filed) < 8)
    def file(self, allowed: int | None, priority: float | None, dep: int, waits: bool) -> None:
        deps = (self._task(dep).task_id,) if waits else ()
        self._file(max_attempts=allowed, priority=priority, deps=deps)

    @rule(worker=workers)
    def claim(self, worker: str) -> None:
        open_before = {
            task.pk: task
            for task in Task.objects.filter(board=self.ledger.board)
            if not is_ending(Status(task.status))
        }
        claimed = self.ledger.claim(worker, lease=LEASE)
        for pk, task in open_before.items():
            if Task.objects.get(pk=pk).status == Status.ERRORED:
                assert (task.status, task.abandonments) == (Status.IN_PROGRESS, MAX_ABANDONMENTS)
                assert task.lease_until is not None
                assert task.lease_until <= self.moment.now
                self.holds.pop(pk, None)
        if claimed is None:
            return
        task, ticket = claimed
        before = open_before[task.pk]
        assert before.status == Status.PENDING or (
            before.lease_until and before.lease_until <= self.moment.now
        )
        assert not TaskDep.objects.filter(task=task).exclude(dep__status=Status.COMPLETED).exists()
        assert ticket not in [handed for _, handed, _ in self.tickets]
        self.tickets.append((task.pk, ticket, worker))
        self.newest[task.pk] = self.holds[task.pk] = ticket

    @rule(
        which=st.integers(min_value=0, max_value=30),
        verb=st.sampled_from(["complete", "fail", "park", "release", "renew"]),
    )
    @precondition(lambda self: self.tickets)
    def present_ticket(self, which: int, verb: str) -> None:
        pk, ticket, worker = self.tickets[which % len(self.tickets)]
        task = Task.objects.get(pk=pk)
        content = f"{verb} by {worker}"
        calls = {
            "complete": lambda: self.ledger.complete(task, content, ticket=ticket),
            "fail": lambda: self.ledger.fail(task, content, ticket=ticket),
            "park": lambda: self.ledger.do(settling.park_task, task, question=content, ticket=ticket),
            "release": lambda: self.ledger.do(settling.release_task, task, ticket=ticket),
            "renew": lambda: self.ledger.do(renew_lease, task, ticket=ticket),
        }
        before = all_rows()
        try:
            calls[verb]()
        except LostClaim:
            assert all_rows() == before
            assert self.holds.get(pk) != ticket
            return
        if all_rows() == before:
            return  # the same call as before, answered as done (or a renewal to the same moment)
        assert self.holds.get(pk) == ticket, "a ticket that was lost wrote something"
        if verb != "renew":
            del self.holds[pk]

    @rule(
        number=rows,
        verb=st.sampled_from(
            ["complete", "fail", "cancel", "block", "unblock", "answer", "reclaim", "assign", "label", "skip"]
        ),
    )
    def coordinate(self, number: int, verb: str) -> None:
        task = self._task(number)
        calls = {
            "complete": lambda: self.ledger.complete(task, "coordinator's"),
            "fail": lambda: self.ledger.fail(task, "coordinator's"),
            "cancel": lambda: self.ledger.do(settling.cancel_task, task),
            "block": lambda: self.ledger.do(settling.block_task, task, reason="later"),
            "unblock": lambda: self.ledger.do(settling.unblock_task, task),
            "answer": lambda: self.ledger.do(settling.answer_task, task, answer="yes"),
            "reclaim": lambda: self.ledger.do(settling.reclaim_task, task),
            "assign": lambda: self.ledger.do(update_task, task, patch=Patch(assignee="wren", priority=1)),
            "label": lambda: self.ledger.do(
                update_task, task, patch=Patch(add_label="hot", metadata={"n": number})
            ),
            "skip": lambda: skip_dependents(board=self.ledger.board, task_id=task.task_id, by=ADA),
        }
        with self._refusable():
            calls[verb]()
            if verb in ("complete", "fail", "cancel", "reclaim"):
                self.holds.pop(task.pk, None)
            if verb == "reclaim":
                self.reclaims[task.pk] = self.reclaims.get(task.pk, 0) + 1

    @rule(seconds=st.sampled_from([1, 5, LEASE, 3 * LEASE]))
    def time_goes_on(self, seconds: int) -> None:
        self.moment.go(seconds)

    @rule()
    def sweep(self) -> None:
        counted = dict(Task.objects.values_list("pk", "abandonments"))
        settle_abandoned()
        assert dict(Task.objects.values_list("pk", "abandonments")) == counted
        for pk in list(self.holds):
            if is_ending(Status(Task.objects.get(pk=pk).status)):
                del self.holds[pk]

    @invariant()
    def every_row_is_sound(self) -> None:
        for task in Task.objects.filter(pk__in=self.filed):
            held = task.status == Status.IN_PROGRESS
            assert (task.claimed_by != "", task.lease_until is not None) == (held, held)
            assert held == (task.pk in self.holds)
            assert (task.completed_at is not None) == is_ending(Status(task.status))
            runs = task.attempts - task.abandonments
            assert 0 <= runs <= (task.max_attempts or 1) + self.reclaims.get(task.pk, 0)
            assert 0 <= task.abandonments <= MAX_ABANDONMENTS
            unmet = TaskDep.objects.filter(task=task).exclude(dep__status=Status.COMPLETED).count()
            assert task.unmet == unmet
            assert not (held and unmet)
            assert replay(task) == facts(task)
            assert {(event.from_status, event.to_status) for event in task.events.all()} <= MOVES | {
                (s, s) for s in ENDINGS
            } | {("pending", "pending"), ("parked", "parked")}
            assert sorted(TaskLabel.objects.filter(task=task).values_list("label", flat=True)) == sorted(
                task.labels
            )

    @invariant()
    def what_ended_stays_ended(self) -> None:
        for task in Task.objects.filter(pk__in=self.filed, status__in=ENDINGS):
            facts_of_ending = (task.status, task.output, task.error, task.attempts, task.completed_at)
            assert self.ended.setdefault(task.pk, facts_of_ending) == facts_of_ending


@pytest.mark.django_db
def test_board__any_sequence_of_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    moment = Moment(clock.now())
    monkeypatch.setattr(clock, "now", lambda: moment.now)
    machine = type("Machine", (BoardMachine,), {"moment": moment})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=15, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
