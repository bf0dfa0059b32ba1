"""Rows that wait for others: readiness, rings, stuck ones, skipping."""

from __future__ import annotations

import pytest

from boards.errors import DependencyRing, IllegalStatusTransition, TaskNotFound
from boards.models import Task, TaskDep, TaskLabel
from boards.selectors.tasks import deps_of, stuck_tasks
from boards.services import settling
from boards.services.dependencies import check_no_ring, skip_dependents, stuck_on
from boards.transitions import Status
from tests.boards.ledgers import ADA, Ledger, unwritten
from workforce.errors import Stale


def chain(ledger: Ledger, length: int) -> list[Task]:
    """Rows that each wait for the one before."""
    rows = [ledger.file("0")]
    for number in range(1, length):
        rows.append(ledger.file(str(number), deps=(rows[-1].task_id,)))
    return rows


def test_claim__waits_for_every_dep(ledger: Ledger) -> None:
    one, two = ledger.file(), ledger.file()
    waits = ledger.file(priority=9, deps=(one.task_id, two.task_id))
    for expected in (one, two):
        task, ticket = ledger.take()
        assert task.pk == expected.pk
        assert ledger.claim(labels=("x",)) is None
        ledger.complete(task, ticket=ticket)
    assert ledger.see(waits).unmet == 0
    assert ledger.see(waits).revision == 1
    assert ledger.take()[0].pk == waits.pk


@pytest.mark.parametrize("ending", [Status.ERRORED, Status.CANCELLED])
def test_stuck__a_dep_that_failed_leaves_its_dependents_pending(ledger: Ledger, ending: Status) -> None:
    failed = ledger.row_in(ending)
    waits = ledger.file(deps=(failed.task_id,))
    further = ledger.file(deps=(waits.task_id,))
    assert ledger.claim() is None
    assert (ledger.see(waits).status, stuck_on(waits)) == ("pending", [failed.task_id])
    assert stuck_on(further) == []
    assert list(stuck_tasks(Task.objects.all())) == [waits]


def test_ring__a_row_that_would_wait_for_itself(ledger: Ledger) -> None:
    rows = chain(ledger, 4)
    with pytest.raises(DependencyRing, match=f"'{rows[0].task_id}' would wait for itself"):
        check_no_ring(rows[0], [rows[0]])
    with pytest.raises(DependencyRing) as refused:
        check_no_ring(rows[0], [rows[3]])
    way = " → ".join(row.task_id for row in (rows[0], rows[3], rows[2], rows[1], rows[0]))
    assert way in refused.value.words
    check_no_ring(rows[3], [rows[0], rows[1]])
    check_no_ring(ledger.file(), [rows[3]])


def test_ring__a_diamond_is_none(ledger: Ledger) -> None:
    top = ledger.file()
    left, right = (ledger.file(deps=(top.task_id,)) for _ in range(2))
    bottom = ledger.file(deps=(left.task_id, right.task_id))
    check_no_ring(ledger.file(), [bottom, top])
    check_no_ring(right, [left])
    with pytest.raises(DependencyRing):
        check_no_ring(top, [bottom])


def test_skip__down_the_chain_with_reason_and_label(ledger: Ledger) -> None:
    rows = chain(ledger, 4)
    aside = ledger.file("aside")
    blocked = ledger.file("blocked", deps=(rows[1].task_id,))
    ledger.do(settling.block_task, blocked)
    behind = ledger.file("behind", deps=(blocked.task_id,))
    ledger.do(settling.cancel_task, rows[0])
    skipped = skip_dependents(board=ledger.board, task_id=rows[0].task_id, by=ADA)
    assert [row.pk for row in skipped] == [row.pk for row in rows[1:]]
    for above, row in zip(rows, rows[1:], strict=False):
        seen = ledger.see(row)
        assert (seen.status, seen.labels) == ("cancelled", ["skipped"])
        assert seen.error == f"skipped: '{above.task_id}' ended cancelled"
        assert seen.completed_at is not None
        assert ledger.kinds(row) == ["added", "cancelled"]
    assert TaskLabel.objects.filter(label="skipped").count() == 3
    assert {ledger.see(row).status for row in (aside, behind)} == {"pending"}
    assert ledger.see(blocked).status == "blocked"
    with unwritten():
        assert skip_dependents(board=ledger.board, task_id=rows[0].task_id, by=ADA) == []


def test_skip__a_row_that_several_ways_lead_to_once(ledger: Ledger) -> None:
    top = ledger.file()
    left, right = (ledger.file(deps=(top.task_id,)) for _ in range(2))
    bottom = ledger.file(deps=(right.task_id, left.task_id, top.task_id))
    ledger.do(settling.cancel_task, top)
    skipped = skip_dependents(board=ledger.board, task_id=top.task_id, by=ADA)
    assert [row.pk for row in skipped] == [left.pk, right.pk, bottom.pk]


@pytest.mark.parametrize("status", [s for s in Status if s not in (Status.ERRORED, Status.CANCELLED)])
def test_skip__only_behind_what_failed(ledger: Ledger, status: Status) -> None:
    task = ledger.row_in(status)
    ledger.file(deps=(task.task_id,))
    with unwritten(), pytest.raises(IllegalStatusTransition, match=f"is {status}"):
        skip_dependents(board=ledger.board, task_id=task.task_id, by=ADA)


def test_skip__unknown_row_and_stale_revision(ledger: Ledger) -> None:
    task = ledger.row_in(Status.CANCELLED)
    with unwritten(), pytest.raises(TaskNotFound):
        skip_dependents(board=ledger.board, task_id="task_x", by=ADA)
    with unwritten(), pytest.raises(Stale):
        skip_dependents(board=ledger.board, task_id=task.task_id, by=ADA, if_revision=1)


def test_complete__counts_down_only_who_waits(ledger: Ledger) -> None:
    first, other = ledger.file(), ledger.file()
    both = ledger.file(deps=(first.task_id, other.task_id))
    alone = ledger.file(deps=(other.task_id,))
    task, ticket = ledger.take()
    ledger.complete(task, ticket=ticket)
    assert (ledger.see(both).unmet, ledger.see(alone).unmet) == (1, 1)
    for row in Task.objects.all():
        assert row.unmet == TaskDep.objects.filter(task=row).exclude(dep__status="completed").count()


def test_deps_of__one_query_for_many_rows(ledger: Ledger, django_assert_num_queries: object) -> None:
    rows = chain(ledger, 5)
    with django_assert_num_queries(1):  # type: ignore[operator]
        found = deps_of(rows)
    assert found[rows[1].pk] == [rows[0].task_id]
    assert rows[0].pk not in found
