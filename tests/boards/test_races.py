"""Many hands at one moment: who wins is decided by the database."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction

from boards.errors import LostClaim, TerminalTaskWriteDeclined
from boards.models import Board, Tally, Task, TaskDep, TaskEvent
from boards.services import settling
from boards.services.dependencies import skip_dependents
from boards.services.editing import Patch, update_task
from boards.services.filing import retry_task
from boards.services.staffing import settle_workers
from boards.services.sweeping import settle_abandoned
from boards.services.tallying import tally_ended
from boards.transitions import OPEN, Status
from tests.boards.ledgers import ADA, Ledger, facts, make_board, replay
from tests.factories import make_organization
from tests.racing import ON_POSTGRESQL, at_once
from workforce import clock

pytestmark = ON_POSTGRESQL
ROUNDS = 8


@pytest.fixture
def ledger(db: None) -> Ledger:
    return Ledger(make_board(make_organization()))


def check_histories() -> None:
    for task in Task.objects.all():
        assert replay(task) == facts(task)
        assert task.unmet == TaskDep.objects.filter(task=task).exclude(dep__status="completed").count()


@pytest.mark.parametrize(("callers", "ready"), [(8, 1), (8, 5), (8, 8), (4, 9), (8, 0)])
def test_claim__n_callers_on_k_rows(ledger: Ledger, callers: int, ready: int) -> None:
    for _ in range(ROUNDS):
        TaskEvent.objects.all().delete()
        Task.objects.all().delete()
        for number in range(ready):
            ledger.file(str(number))
        claimed = at_once(*[partial(ledger.claim, f"w{n}") for n in range(callers)])
        won = [claim for claim in claimed if claim is not None]
        assert len(won) == min(callers, ready), claimed
        assert len({task.pk for task, _ in won}) == len(won)
        assert len({ticket for _, ticket in won}) == len(won)
        assert TaskEvent.objects.filter(kind="claimed").count() == len(won)
    check_histories()


def test_claim__is_not_kept_from_a_row_that_a_filing_comes_to_wait_for(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        dep = ledger.file()
        filed = [partial(ledger.file, deps=(dep.task_id,)) for _ in range(3)]
        claimed, *waiting = at_once(partial(ledger.claim), *filed)
        assert claimed is not None
        assert claimed[0].pk == dep.pk
        assert [task.unmet for task in waiting] == [1, 1, 1]
        ledger.complete(dep)
        Task.objects.update(unmet=1)  # out of the way of the next round
    assert Task.objects.exclude(status="completed").count() == 3 * ROUNDS


def test_complete__against_a_filing_that_waits_for_the_row(ledger: Ledger) -> None:
    """The dep has ended before the row is filed, or counts the row when it ends: never neither."""
    for _ in range(ROUNDS * 3):
        ledger.file()
        task, ticket = ledger.take()
        done, *filed = at_once(
            partial(ledger.complete, task, ticket=ticket), *[partial(ledger.file, deps=(task.task_id,))] * 3
        )
        assert done.status == "completed"
        assert [ledger.see(row).unmet for row in filed] == [0, 0, 0]
        Task.objects.filter(pk__in=[row.pk for row in filed]).update(status="cancelled")


def test_complete__against_the_recovery_of_its_lapsed_row(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        ledger.file()
        task, ticket = ledger.take()
        Task.objects.filter(pk=task.pk).update(lease_until=clock.EPOCH)
        done, claimed = at_once(partial(ledger.complete, task, ticket=ticket), partial(ledger.claim, "robin"))
        row = ledger.see(task)
        if isinstance(done, LostClaim):
            assert claimed[0].pk == task.pk
            assert (row.status, row.claimed_by, row.abandonments) == ("in_progress", "robin", 1)
            ledger.complete(task)
        else:
            assert claimed is None
            assert (row.status, row.abandonments) == ("completed", 0)
    check_histories()


def test_claim__against_a_cancel(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        task = ledger.file()
        cancelled, claimed = at_once(partial(ledger.do, settling.cancel_task, task), partial(ledger.claim))
        assert cancelled.status == ledger.see(task).status == "cancelled"
        if claimed is not None:
            with pytest.raises(LostClaim):
                ledger.complete(task, ticket=claimed[1])
    check_histories()


def test_settle__one_of_many(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        ledger.file()
        task, ticket = ledger.take()
        ended = at_once(
            partial(ledger.complete, task, ticket=ticket),
            partial(ledger.fail, task, ticket=ticket),
            partial(ledger.do, settling.cancel_task, task),
            partial(ledger.do, settling.park_task, task, question="?", ticket=ticket),
        )
        kinds = [event.kind for event in task.events.all()][2:]
        assert kinds in (["completed"], ["errored"], ["cancelled"], ["parked", "cancelled"])
        won = [row for row in ended if isinstance(row, Task)]
        assert len(won) == len(kinds)
        lost = [error for error in ended if not isinstance(error, Task)]
        assert all(isinstance(error, (LostClaim, TerminalTaskWriteDeclined)) for error in lost), lost
    check_histories()


def test_settle__the_same_call_twice_at_once_is_one(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        ledger.file()
        task, ticket = ledger.take()
        answers = at_once(*[partial(ledger.complete, task, {"n": 1}, ticket=ticket)] * 4)
        assert [answer.revision for answer in answers] == [3] * 4
        assert task.events.count() == 3


def test_complete__rows_that_share_dependents_do_not_wait_for_each_other_for_ever(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        deps = [ledger.file() for _ in range(4)]
        names = [dep.task_id for dep in deps]
        waiting = [ledger.file(deps=tuple(names[n:] + names[:n])) for n in range(4)]
        for _ in deps:
            ledger.take()
        done = at_once(*[partial(ledger.complete, dep) for dep in deps])
        assert [task.status for task in done] == ["completed"] * 4
        assert [ledger.see(row).unmet for row in waiting] == [0] * 4
        for row in waiting:
            ledger.do(settling.cancel_task, row)


def test_skip__twice_over_one_graph(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        tops = [ledger.file() for _ in range(2)]
        middle = [ledger.file(deps=(tops[n % 2].task_id, tops[0].task_id)) for n in range(4)]
        bottom = [ledger.file(deps=tuple(row.task_id for row in middle[::-1])) for _ in range(3)]
        for top in tops:
            ledger.do(settling.cancel_task, top)
        skip: list[Callable[[], Any]] = [
            partial(skip_dependents, board=ledger.board, task_id=top.task_id, by=ADA) for top in tops * 2
        ]
        skipped = at_once(*skip)
        assert sorted(row.pk for rows in skipped for row in rows) == [row.pk for row in middle + bottom]
    check_histories()


def test_retry__of_many_at_once_files_one_row(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        ended = ledger.row_in(Status.ERRORED)
        retry = partial(ledger.do, retry_task, ended)
        answers = at_once(*[retry] * 8)
        (fresh,) = Task.objects.filter(retry_of=ended.task_id)
        assert {row.pk for row, _ in answers} == {fresh.pk}, answers
        assert sorted(is_new for _, is_new in answers) == [False] * 7 + [True]
        ledger.do(settling.cancel_task, fresh)
    check_histories()


def test_tally__by_two_sweeps_counts_each_row_once(ledger: Ledger) -> None:
    Board.objects.update(created_at=clock.EPOCH)
    for _ in range(ROUNDS):
        ledger.row_in(Status.COMPLETED)
        Task.objects.update(completed_at=clock.now() - timedelta(hours=3))
        Tally.objects.all().delete()
        tallied = at_once(tally_ended, tally_ended, tally_ended)
        assert sorted(tallied) == [0, 0, 1]
        assert Tally.objects.get().completed == Task.objects.count()


def test_settle__workers_while_rows_are_taken_and_completed(ledger: Ledger) -> None:
    """A load has open rows follow their worker's key: nobody waits for ever, no row is lost, none is done twice."""
    organization, board_id = ledger.board.organization, ledger.board.board_id

    def load(*workers: str) -> None:
        with transaction.atomic():
            settle_workers(organization=organization, drains={board_id: workers})

    load("x.wren")
    for number in range(ROUNDS):
        for _ in range(6):
            ledger.file(assignee="wren" if number % 2 == 0 else "x.wren")
        held = [ledger.take() for _ in range(3)]
        workers = ("x.wren", "z.wren") if number % 2 == 0 else ("x.wren",)
        done = at_once(
            partial(load, *workers),
            *[partial(ledger.complete, task, ticket=ticket) for task, ticket in held],
            *[partial(ledger.claim)] * 2,
        )
        assert not [answer for answer in done if isinstance(answer, Exception)], done
        keys = set(Task.objects.filter(status__in=OPEN).values_list("assignee", flat=True))
        assert keys == {"x.wren" if number % 2 == 0 else "wren"}
        for task in Task.objects.filter(status__in=OPEN):
            ledger.do(settling.cancel_task, task)
    check_histories()


def test_sweep__against_the_claim_that_settles(ledger: Ledger) -> None:
    for _ in range(ROUNDS):
        task = ledger.file()
        ledger.take()
        Task.objects.filter(pk=task.pk).update(abandonments=3, attempts=4, lease_until=clock.EPOCH)
        *_, claimed = at_once(settle_abandoned, settle_abandoned, partial(ledger.claim))
        assert claimed is None
        assert ledger.see(task).status == "errored"
        assert task.events.filter(kind="errored").count() == 1


def test_update__no_write_is_lost(ledger: Ledger) -> None:
    task = ledger.file()
    patches = [{"metadata": {f"k{n}": n}, "add_label": f"l{n}"} for n in range(8)]
    at_once(*[partial(ledger.do, update_task, task, patch=Patch(**patch)) for patch in patches])
    row = ledger.see(task)
    assert row.metadata == {f"k{n}": n for n in range(8)}
    assert sorted(row.labels) == [f"l{n}" for n in range(8)]
    assert row.revision == 9
    check_histories()


def test_claim__a_row_that_somebody_else_locked_is_passed_over_at_once(ledger: Ledger) -> None:
    first, second = ledger.file(), ledger.file()

    def hold_first() -> Any:
        from django.db import transaction

        with transaction.atomic():
            Task.objects.filter(pk=first.pk).update(title="locked")
            return at_once(partial(ledger.claim))[0]

    connection.ensure_connection()
    assert hold_first()[0].pk == second.pk
