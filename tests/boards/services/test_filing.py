"""Filing rows, and filing ended ones again."""

from __future__ import annotations

import re

import pytest

from boards.errors import (
    AlreadyRetried,
    IllegalStatusTransition,
    TaskNotFound,
    UnknownAssignee,
    UnknownDependency,
)
from boards.ids import new_task_id
from boards.models import Board, BoardWorker, Task, TaskLabel
from boards.selectors.tasks import deps_of
from boards.services.dependencies import skip_dependents
from boards.services.editing import assign_task
from boards.services.filing import retry_task
from boards.services.settling import cancel_task
from boards.transitions import Status
from tests.boards.ledgers import ADA, ENDINGS, OPEN, Ledger, Moment, make_board, unwritten
from workforce.errors import Stale
from workforce.models import Organization


@pytest.fixture
def staffed(ledger: Ledger) -> Ledger:
    for worker, key in (("support.wren", "wren"), ("a.robin", "a.robin"), ("b.robin", "b.robin")):
        BoardWorker.objects.create(board=ledger.board, worker_id=worker, key=key)
    return ledger


def test_file__the_row_and_its_event(ledger: Ledger, moment: Moment) -> None:
    task = ledger.see(
        ledger.file(
            "Mend it.", title="Mend", context="It beeps.", assignee="wren", priority=2, max_attempts=3,
            labels=("a", "b", "a"), input={"n": [1]}, metadata={"k": "v"}, author="support.lead",
        )
    )  # fmt: skip
    assert (task.status, task.attempts, task.abandonments, task.revision) == ("pending", 0, 0, 1)
    assert (task.goal, task.title, task.context, task.assignee) == ("Mend it.", "Mend", "It beeps.", "wren")
    assert (task.priority, task.rank, task.max_attempts) == (2, 2, 3)
    assert (task.labels, task.input, task.metadata) == (["a", "b"], {"n": [1]}, {"k": "v"})
    assert (task.author, task.created_by, task.run, task.output) == ("support.lead", "ada", None, None)
    assert (task.created_at, task.updated_at, task.started_at) == (moment.now, moment.now, None)
    assert sorted(TaskLabel.objects.values_list("label", flat=True)) == ["a", "b"]
    (event,) = task.events.all()
    assert (event.kind, event.from_status, event.to_status, event.revision) == ("added", "", "pending", 1)
    assert event.changes == {
        "assignee": "wren", "priority": 2, "maxAttempts": 3, "labels": ["a", "b"], "metadata": {"k": "v"},
        "author": "support.lead",
    }  # fmt: skip


def test_id__is_minted_readable_and_never_the_same() -> None:
    ids = {new_task_id() for _ in range(1000)}
    assert len(ids) == 1000
    assert all(re.fullmatch(r"task_[0-9a-z]{8}_[0-9]+_[0-9a-f]+", id) for id in ids)


def test_file__any_assignee_where_no_worker_is_declared(ledger: Ledger) -> None:
    assert ledger.file(assignee="Whoever").assignee == "Whoever"


@pytest.mark.parametrize(
    ("named", "key"), [("wren", "wren"), ("support.wren", "wren"), ("a.robin", "a.robin"), ("", "")]
)
def test_file__an_assignee_by_key_or_full_id(staffed: Ledger, named: str, key: str) -> None:
    assert staffed.file(assignee=named).assignee == key


@pytest.mark.parametrize("named", ["Wren", "wren ", "finch", "support.finch", "x.wren"])
def test_file__an_unknown_assignee_lists_the_keys(staffed: Ledger, named: str) -> None:
    with unwritten(), pytest.raises(UnknownAssignee) as refused:
        staffed.file(assignee=named)
    words = refused.value.words
    assert f"'{named}' is no worker" in words
    assert "a.robin, b.robin, wren (exact case)" in words
    assert "leave the assignee unset" in words
    task = staffed.file()
    with unwritten(), pytest.raises(UnknownAssignee):
        staffed.do(assign_task, task, assignee=named)


def test_file__a_short_name_of_two_is_ambiguous(staffed: Ledger) -> None:
    with unwritten(), pytest.raises(UnknownAssignee, match="'robin' is ambiguous.*'a.robin' or 'b.robin'"):
        staffed.file(assignee="robin")


def test_file__unknown_deps_are_all_named(ledger: Ledger, organization: Organization) -> None:
    known = ledger.file()
    elsewhere = Ledger(make_board(organization, "support.help.ideas")).file()
    with unwritten(), pytest.raises(UnknownDependency) as refused:
        ledger.file(deps=(known.task_id, elsewhere.task_id, "task_nope"))
    assert f"not on the board 'support.help.todo': '{elsewhere.task_id}', 'task_nope'" in refused.value.words


def test_file__the_assignee_is_checked_before_the_deps(staffed: Ledger) -> None:
    with pytest.raises(UnknownAssignee):
        staffed.file(assignee="finch", deps=("task_nope",))


def test_file__deps_in_their_order_each_once(ledger: Ledger) -> None:
    first, second = ledger.file(), ledger.file()
    task = ledger.file(deps=(second.task_id, first.task_id, second.task_id))
    assert list(task.dep_rows.values_list("dep__task_id", flat=True)) == [second.task_id, first.task_id]
    assert ledger.see(task).unmet == 2


@pytest.mark.parametrize("status", Status)
def test_file__behind_a_row_in_each_status(ledger: Ledger, status: Status) -> None:
    dep = ledger.row_in(status)
    task = ledger.file(deps=(dep.task_id,))
    assert ledger.see(task).unmet == (status is not Status.COMPLETED)


@pytest.mark.parametrize("status", ENDINGS)
def test_retry__files_an_ended_row_anew(ledger: Ledger, status: Status) -> None:
    dep = ledger.row_in(Status.COMPLETED)
    old = ledger.row_in(
        status, title="T", context="C", assignee="wren", priority=1, labels=("a",), input={"n": 1},
        metadata={"k": 1}, author="support.lead", deps=(dep.task_id,),
    )  # fmt: skip
    new, is_new = retry_task(board=ledger.board, task_id=old.task_id, by=ADA)
    assert is_new
    assert (new.status, new.attempts, new.retry_of) == ("pending", 0, old.task_id)
    copied = (
        "goal",
        "title",
        "context",
        "assignee",
        "priority",
        "max_attempts",
        "labels",
        "input",
        "metadata",
        "author",
    )
    assert [getattr(new, name) for name in copied] == [getattr(old, name) for name in copied]
    assert (new.output, new.error, new.feedback) == (None, "", "")
    assert list(new.dep_rows.values_list("dep__task_id", flat=True)) == [dep.task_id]
    assert ledger.last(new).changes["retryOf"] == old.task_id
    assert ledger.see(old).status == status


@pytest.mark.parametrize("status", OPEN)
def test_retry__only_what_has_ended(ledger: Ledger, status: Status) -> None:
    task = ledger.row_in(status)
    with unwritten(), pytest.raises(IllegalStatusTransition, match=f"is {status}"):
        retry_task(board=ledger.board, task_id=task.task_id, by=ADA)


def test_retry__leaves_out_the_mark_of_being_skipped(ledger: Ledger) -> None:
    task = ledger.file(labels=("a", "skipped"))
    task = ledger.do(cancel_task, task)
    assert retry_task(board=ledger.board, task_id=task.task_id, by=ADA)[0].labels == ["a"]


@pytest.mark.parametrize("status", OPEN)
def test_retry__a_second_time_is_answered_with_the_row_that_is_there(ledger: Ledger, status: Status) -> None:
    old = ledger.row_in(Status.ERRORED)
    new, _ = retry_task(board=ledger.board, task_id=old.task_id, by=ADA)
    Task.objects.filter(pk=new.pk).update(status=status)
    with unwritten():
        again, is_new = retry_task(board=ledger.board, task_id=old.task_id, by=ADA)
    assert (again.pk, again.status, is_new) == (new.pk, status, False)


@pytest.mark.parametrize("status", ENDINGS)
def test_retry__of_a_row_whose_retry_has_ended_names_that_one(ledger: Ledger, status: Status) -> None:
    old = ledger.row_in(Status.ERRORED)
    new, _ = retry_task(board=ledger.board, task_id=old.task_id, by=ADA)
    Task.objects.filter(pk=new.pk).update(status=status)
    with (
        unwritten(),
        pytest.raises(AlreadyRetried, match=f"as '{new.task_id}', which is {status}; retry that"),
    ):
        retry_task(board=ledger.board, task_id=old.task_id, by=ADA)
    next_one, is_new = retry_task(board=ledger.board, task_id=new.task_id, by=ADA)
    assert (next_one.retry_of, is_new) == (new.task_id, True)


def test_retry__unknown_row_and_stale_revision(ledger: Ledger) -> None:
    old = ledger.row_in(Status.ERRORED)
    with unwritten(), pytest.raises(TaskNotFound):
        retry_task(board=ledger.board, task_id="task_x", by=ADA)
    with unwritten(), pytest.raises(Stale):
        retry_task(board=ledger.board, task_id=old.task_id, by=ADA, if_revision=old.revision + 1)


def test_retry__down_a_chain_waits_for_what_was_filed_again(ledger: Ledger) -> None:
    """A row that failed and what was skipped behind it can be done anew: none waits for a row that never completes."""
    first, other = ledger.row_in(Status.ERRORED), ledger.row_in(Status.CANCELLED)
    second = ledger.file(deps=(first.task_id, other.task_id))
    ledger.do(skip_dependents, first)
    again, _ = retry_task(board=ledger.board, task_id=first.task_id, by=ADA)
    ledger.do(cancel_task, again)
    once_more, _ = retry_task(board=ledger.board, task_id=again.task_id, by=ADA)
    row, _ = retry_task(board=ledger.board, task_id=second.task_id, by=ADA)
    assert deps_of([row])[row.pk] == [once_more.task_id, other.task_id]
    assert ledger.see(row).unmet == 2


def test_retry__is_not_routed_to_a_worker_that_is_none_any_more(ledger: Ledger) -> None:
    gone, kept = (
        ledger.row_in(Status.ERRORED, assignee="robin"),
        ledger.row_in(Status.ERRORED, assignee="wren"),
    )
    BoardWorker.objects.create(board=ledger.board, worker_id="support.wren", key="wren")
    assert retry_task(board=ledger.board, task_id=gone.task_id, by=ADA)[0].assignee == ""
    assert retry_task(board=ledger.board, task_id=kept.task_id, by=ADA)[0].assignee == "wren"


def test_file__query_counts(ledger: Ledger, django_assert_num_queries: object) -> None:
    board = Board.objects.get(pk=ledger.board.pk)
    plain = Ledger(board)
    with django_assert_num_queries(4):  # type: ignore[operator]  # savepoint, row, event, release
        plain.file()
