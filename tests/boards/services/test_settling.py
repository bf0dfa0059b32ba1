"""Moving rows: every verb from every status, what it writes, and repeated calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from boards.errors import (
    IllegalStatusTransition,
    LostClaim,
    TaskNotFound,
    TerminalTaskWriteDeclined,
    UnfinishedDependencies,
)
from boards.models import Task
from boards.services import settling
from boards.transitions import Status, Verb, is_assignable, is_ending, target_of, verbs_from
from tests.boards.ledgers import ADA, ENDINGS, Ledger, Moment, unwritten
from workforce.errors import DomainError, Stale

#: The verbs that need no ticket, with what they are called with.
OPEN_VERBS: dict[Verb, tuple[Callable[..., Task], dict[str, Any]]] = {
    Verb.COMPLETE: (settling.complete_task, {"output": {"n": 1}}),
    Verb.FAIL: (settling.fail_task, {"error": "it broke"}),
    Verb.ANSWER: (settling.answer_task, {"answer": "This one."}),
    Verb.BLOCK: (settling.block_task, {"reason": "not now"}),
    Verb.UNBLOCK: (settling.unblock_task, {}),
    Verb.CANCEL: (settling.cancel_task, {"reason": "no more"}),
    Verb.RECLAIM: (settling.reclaim_task, {}),
}
KINDS = {
    Verb.COMPLETE: "completed", Verb.FAIL: "errored", Verb.ANSWER: "answered", Verb.BLOCK: "blocked",
    Verb.UNBLOCK: "unblocked", Verb.CANCEL: "cancelled", Verb.RECLAIM: "reclaimed",
}  # fmt: skip


@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("verb", OPEN_VERBS)
def test_verb__from_each_status(ledger: Ledger, verb: Verb, status: Status) -> None:
    task = ledger.row_in(status)
    call, arguments = OPEN_VERBS[verb]
    target = target_of(verb, status)
    if target is None:
        refusal = TerminalTaskWriteDeclined if verb is Verb.CANCEL else IllegalStatusTransition
        with unwritten(), pytest.raises(refusal) as refused:
            ledger.do(call, task, **arguments)
        _check_words(refused.value, task, verb, status)
        return
    events = task.events.count()
    moved = ledger.do(call, task, **arguments)
    assert (moved.status, moved.revision) == (target, task.revision + 1)
    assert task.events.count() == events + 1
    event = ledger.last(task)
    assert (event.kind, event.from_status, event.to_status) == (KINDS[verb], status, target)
    assert (event.principal, event.passname, event.revision) == ("ada", "ada-desk", moved.revision)
    seen = ledger.see(task)
    assert (seen.claimed_by, seen.lease_until) == ("", None)
    assert (seen.completed_at is not None) == is_ending(target)


def _check_words(refused: DomainError, task: Task, verb: Verb, status: Status) -> None:
    assert task.task_id in refused.words
    assert f"is {status}" in refused.words
    if verb is Verb.CANCEL:
        return
    promised = refused.words.split("What works now: ")[1].split(", ")
    works = [*verbs_from(status), *(["assign"] if is_assignable(status) else []), "update"]
    assert promised == works


@pytest.mark.parametrize("call", [verb for verb, _ in OPEN_VERBS.values()])
def test_verb__unknown_row_and_stale_revision(ledger: Ledger, call: Callable[..., Task]) -> None:
    arguments = next(more for verb, more in OPEN_VERBS.values() if verb is call)
    task = ledger.file()
    with unwritten(), pytest.raises(TaskNotFound, match="has no row 'task_nope'"):
        call(board=ledger.board, task_id="task_nope", by=ADA, **arguments)
    with unwritten(), pytest.raises(Stale, match="at revision 1, not 2"):
        ledger.do(call, task, if_revision=2, **arguments)


def test_complete__by_its_holder(ledger: Ledger, moment: Moment) -> None:
    ledger.file()
    task, ticket = ledger.take()
    moment.go(3)
    done = ledger.complete(task, {"a": [1, None]}, ticket=ticket)
    assert (done.output, done.completed_at, done.updated_at) == ({"a": [1, None]}, moment.now, moment.now)
    assert (done.attempts, done.error) == (1, "")
    assert ledger.see(task).output == {"a": [1, None]}


def test_complete__after_the_lease_lapsed_and_before_anybody_took_it(ledger: Ledger, moment: Moment) -> None:
    ledger.file()
    task, ticket = ledger.take(lease=1)
    moment.go(60)
    assert ledger.complete(task, ticket=ticket).status == "completed"


@pytest.mark.parametrize("settle", ["complete", "fail", "cancel"])
def test_coordinator__settles_a_held_row_and_the_holder_is_refused(ledger: Ledger, settle: str) -> None:
    """Also with the very same content: it was not this holder's call that was recorded."""
    ledger.file()
    task, ticket = ledger.take()
    call, arguments = OPEN_VERBS[Verb(settle)]
    ledger.do(call, task, **arguments)
    with unwritten(), pytest.raises(LostClaim):
        ledger.do(call, task, ticket=ticket, **arguments)


def _settle(ledger: Ledger, verb: str, task: Task, ticket: str, content: str) -> Task:
    if verb == "complete":
        return ledger.complete(task, content, ticket=ticket)
    if verb == "fail":
        return ledger.fail(task, content, ticket=ticket)
    if verb == "park":
        return ledger.do(settling.park_task, task, question=content, ticket=ticket)
    if verb == "cancel":
        return ledger.do(settling.cancel_task, task, reason=content, ticket=ticket)
    return ledger.do(settling.release_task, task, ticket=ticket)


@pytest.mark.parametrize("allowed", [None, 3])
@pytest.mark.parametrize("verb", ["complete", "fail", "park", "cancel", "release"])
def test_repeat__the_same_call_by_the_same_holder_is_answered_as_done(
    ledger: Ledger, verb: str, allowed: int | None
) -> None:
    ledger.file(max_attempts=allowed)
    task, ticket = ledger.take()
    first = _settle(ledger, verb, task, ticket, "same")
    with unwritten():
        again = _settle(ledger, verb, task, ticket, "same")
    assert (again.status, again.revision) == (first.status, first.revision)
    if verb != "release":
        with unwritten(), pytest.raises(LostClaim):
            _settle(ledger, verb, task, ticket, "other")


def test_repeat__also_after_somebody_else_took_the_row(ledger: Ledger) -> None:
    ledger.file(max_attempts=3)
    task, ticket = ledger.take()
    ledger.fail(task, "broke", ticket=ticket)
    ledger.take("robin")
    with unwritten():
        assert ledger.fail(task, "broke", ticket=ticket).claimed_by == "robin"


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), ({"a": 0}, {"a": False}), (None, "")])
def test_repeat__json_values_that_python_confuses_are_another_call(
    ledger: Ledger, one: Any, other: Any
) -> None:
    ledger.file()
    task, ticket = ledger.take()
    ledger.complete(task, one, ticket=ticket)
    with unwritten(), pytest.raises(LostClaim):
        ledger.complete(task, other, ticket=ticket)


@pytest.mark.parametrize("call", [Verb.COMPLETE, Verb.FAIL])
def test_repeat__without_a_ticket_is_refused(ledger: Ledger, call: Verb) -> None:
    verb, arguments = OPEN_VERBS[call]
    task = ledger.row_in(Status.IN_PROGRESS)
    ledger.do(verb, task, **arguments)
    with unwritten(), pytest.raises(IllegalStatusTransition, match="file a new row"):
        ledger.do(verb, task, **arguments)


@pytest.mark.parametrize("allowed", [2, 3])
def test_fail__goes_back_while_attempts_are_left(ledger: Ledger, allowed: int) -> None:
    filed = ledger.file(max_attempts=allowed)
    for run in range(1, allowed):
        task, ticket = ledger.take()
        task = ledger.fail(task, f"broke {run}", ticket=ticket)
        assert (task.status, task.feedback, task.error) == ("pending", f"broke {run}", "")
        assert (task.attempts, task.completed_at, task.claimed_by) == (run, None, "")
        assert ledger.last(task).kind == "retried"
    task, ticket = ledger.take()
    task = ledger.fail(task, "broke for good", ticket=ticket)
    assert (task.status, task.error, task.attempts) == ("errored", "broke for good", allowed)
    assert task.completed_at is not None
    assert ledger.claim() is None
    assert ledger.kinds(filed) == ["added", *["claimed", "retried"] * (allowed - 1), "claimed", "errored"]


def test_fail__an_abandoned_run_spends_no_attempt(ledger: Ledger, moment: Moment) -> None:
    ledger.file(max_attempts=2)
    ledger.take(lease=1)
    moment.go(1)
    task, ticket = ledger.take("robin")
    assert ledger.fail(task, ticket=ticket).status == "pending"
    task, ticket = ledger.take()
    assert ledger.fail(task, ticket=ticket).status == "errored"


def test_fail__a_parked_row_ends_whatever_is_left(ledger: Ledger) -> None:
    task = ledger.row_in(Status.PARKED, max_attempts=9)
    assert ledger.fail(task, "nobody answers").status == "errored"


def test_park_and_answer__give_the_attempt_back(ledger: Ledger) -> None:
    ledger.file()
    task, ticket = ledger.take()
    parked = ledger.do(settling.park_task, task, question="Which one?", ticket=ticket)
    assert (parked.feedback, parked.attempts, parked.claimed_by) == ("Which one?", 1, "")
    answered = ledger.do(settling.answer_task, task, answer="The left.")
    assert (answered.status, answered.feedback, answered.attempts) == ("pending", "The left.", 0)
    with unwritten(), pytest.raises(IllegalStatusTransition):
        ledger.do(settling.answer_task, task, answer="The right.")
    task, new = ledger.take()
    assert (task.attempts, new) != (1, ticket)
    with unwritten(), pytest.raises(LostClaim):  # attempts fell, and the old ticket still holds nothing
        ledger.complete(task, ticket=ticket)
    ledger.complete(task, ticket=new)


def test_release__gives_the_attempt_back(ledger: Ledger) -> None:
    filed = ledger.file(assignee="wren")
    for _ in range(3):
        task, ticket = ledger.take()
        assert task.attempts == 1
        released = ledger.do(settling.release_task, task, ticket=ticket)
        assert (released.status, released.attempts, released.assignee) == ("pending", 0, "wren")
    assert ledger.last(filed).changes == {"attempts": 0, "heldBy": ""}


def test_reclaim__keeps_the_attempts_and_the_holder_has_lost(ledger: Ledger) -> None:
    ledger.file(assignee="wren")
    task, ticket = ledger.take()
    reclaimed = ledger.do(settling.reclaim_task, task)
    assert (reclaimed.status, reclaimed.attempts, reclaimed.assignee) == ("pending", 1, "wren")
    with unwritten(), pytest.raises(LostClaim):
        ledger.complete(task, ticket=ticket)


def test_block__a_reason_can_be_changed_and_is_cleared(ledger: Ledger) -> None:
    task = ledger.file()
    assert ledger.do(settling.block_task, task).error == ""
    with unwritten():
        ledger.do(settling.block_task, task)
    assert ledger.do(settling.block_task, task, reason="wait").error == "wait"
    with unwritten():
        ledger.do(settling.block_task, task, reason="wait")
        ledger.do(settling.block_task, task)
    unblocked = ledger.do(settling.unblock_task, task)
    assert (unblocked.status, unblocked.error) == ("pending", "")


@pytest.mark.parametrize("status", [Status.PENDING, Status.BLOCKED])
def test_complete__with_unfinished_deps_names_them(ledger: Ledger, status: Status) -> None:
    first, second = ledger.file(), ledger.file()
    waits = ledger.file(deps=(first.task_id, second.task_id))
    if status is Status.BLOCKED:
        ledger.do(settling.block_task, waits)
    done, ticket = ledger.take()
    ledger.complete(done, ticket=ticket)
    with unwritten(), pytest.raises(UnfinishedDependencies) as refused:
        ledger.complete(waits)
    assert second.task_id in refused.value.words
    assert first.task_id not in refused.value.words


@pytest.mark.parametrize("status", ENDINGS)
def test_cancel__an_ended_row_is_declined(ledger: Ledger, status: Status) -> None:
    task = ledger.row_in(status)
    with unwritten(), pytest.raises(TerminalTaskWriteDeclined, match="final"):
        ledger.do(settling.cancel_task, task)


def test_cancel__without_a_reason_keeps_the_error(ledger: Ledger) -> None:
    task = ledger.row_in(Status.BLOCKED)
    assert ledger.do(settling.cancel_task, task).error == "later"
