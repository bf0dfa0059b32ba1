"""Rows find their workers: by assignment, or because there is only one; each claim with its run."""

from __future__ import annotations

from typing import Any

import pytest

from boards.drains.draining import drain_board, drain_boards
from boards.drains.leases import lease_seconds
from boards.drains.minding import mind_held
from boards.services import settling
from boards.transitions import Status
from tests.boards.drains.shifts import Puppet, Shift
from tests.boards.ledgers import Ledger, Moment, make_board
from tests.conftest import Mailbox, Player
from workforce import clock
from workforce.dispatch.sweep import run_due
from workforce.kinds import registry
from workforce.kinds.tasks import TaskDelivery
from workforce.models import Request, Seat, Session


def test_drain__a_row_is_claimed_with_its_session_and_its_run(shift: Shift) -> None:
    seat = shift.hire()
    task = shift.ledger.file("Look at it.", title="Look", context="Since noon.", input={"n": [1, None]})
    assert shift.drain() == 1
    row, (run,) = shift.ledger.see(task), shift.runs()
    assert (row.status, row.attempts, row.claimed_by, row.claim_number) == (
        "in_progress",
        1,
        "support.wren",
        1,
    )
    assert row.lease_seconds == lease_seconds()
    session = Session.objects.get(seat=seat)
    assert row.run == {"sessionId": session.address, "requestId": str(run.uid), "attempt": 1}
    assert shift.ledger.kinds(task) == ["added", "claimed", "run_linked"]
    event = shift.ledger.last(task)
    assert (event.principal, event.seat, event.changes) == ("ada", "support.wren", {"run": row.run})
    assert (session.parent, session.topic, session.kind) == (shift.mailbox, f"task:{task.task_id}", "handler")
    assert (session.owner, session.organization) == (shift.mailbox.owner, shift.mailbox.organization)
    assert session.title == "Look"
    assert (run.action, run.source, run.serial, run.status) == ("work", "task", True, "pending")
    assert run.dispatch_key == f"work:{task.task_id}:1"
    delivery = TaskDelivery.model_validate(run.input)
    assert (delivery.goal, delivery.title, delivery.context) == ("Look at it.", "Look", "Since noon.")
    assert (delivery.board_id, delivery.input, delivery.attempt) == ("support.help.todo", {"n": [1, None]}, 1)


def test_drain__a_row_is_worked_to_its_end(shift: Shift) -> None:
    shift.hire()
    task = shift.ledger.file("Look.")
    assert shift.work() == 1
    row, (run,) = shift.ledger.see(task), shift.runs()
    assert (row.status, row.output, row.claimed_by) == ("completed", {"did": "Look."}, "")
    assert (run.status, run.output) == ("completed", {"taskId": task.task_id})
    assert row.run["requestId"] == str(run.uid)
    assert shift.drain() == 0


def test_drain__assigned_rows_go_to_their_worker_and_unassigned_wait_for_the_only_one(shift: Shift) -> None:
    shift.hire("support.wren", concurrency=5)
    alone = shift.ledger.file()
    shift.work()
    assert shift.who(alone) == "support.wren"
    robin = shift.hire("support.robin", concurrency=5)
    wrens, robins, nobodys = (shift.ledger.file(assignee=key) for key in ("wren", "support.robin", ""))
    shift.work()
    assert (shift.who(wrens), shift.who(robins), shift.who(nobodys)) == ("support.wren", "support.robin", "")
    assert shift.ledger.see(nobodys).status == "pending"
    robin.retired_at = clock.now()
    robin.save()
    shift.settle()
    shift.work()
    assert shift.who(nobodys) == "support.wren"


def test_drain__keys_are_full_ids_where_two_local_names_are_one(shift: Shift) -> None:
    shift.hire("eng.wren")
    shift.hire("ops.wren")
    task = shift.ledger.file(assignee="ops.wren")
    shift.work()
    assert shift.who(task) == "ops.wren"
    with pytest.raises(Exception, match="'wren' is ambiguous, it could be 'eng.wren' or 'ops.wren'"):
        shift.ledger.file(assignee="wren")


def test_drain__the_only_worker_takes_assigned_and_unassigned_rows_in_one_order(shift: Shift) -> None:
    shift.hire(concurrency=1)
    order = [("low", 0, "wren"), ("urgent", 9, ""), ("later", 0, ""), ("soon", 5, "wren")]
    for goal, priority, assignee in order:
        shift.ledger.file(goal, priority=priority, assignee=assignee)
    shift.work()
    assert [task.goal for task in shift.seen] == ["urgent", "soon", "low", "later"]


def test_drain__rows_of_a_worker_that_left_go_to_nobody(shift: Shift) -> None:
    lost = shift.ledger.file(assignee="somebody")  # filed before the board had workers
    shift.hire()
    shift.work()
    assert shift.ledger.see(lost).status == "pending"


def test_drain__at_most_concurrency_rows_over_all_boards(shift: Shift, mailbox: Mailbox) -> None:
    mailbox("a.b")
    other = Ledger(make_board(shift.board.organization, "a.b.c"))
    shift.hire("support.wren", "a.b.c", concurrency=3)
    for number in range(4):
        shift.ledger.file(f"here {number}", priority=1)
        other.file(f"there {number}", priority=number)
    assert (shift.drain(), shift.drain(), drain_board(other.board.pk)) == (3, 0, 0)
    assert [run.input["goal"] for run in shift.runs()] == ["there 3", "there 2", "here 0"]
    shift.work()
    assert len(shift.seen) == 8


def test_drain__one_at_a_time_unless_declared(shift: Shift) -> None:
    shift.hire()
    for _ in range(3):
        shift.ledger.file()
    assert shift.drain() == 1
    assert shift.work() == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda shift, seat: Seat.objects.update(retired_at=clock.now()),
        lambda shift, seat: Seat.objects.update(kind="coordinator"),
        lambda shift, seat: type(shift.board).objects.update(live=False),
        lambda shift, seat: Session.objects.filter(pk=shift.mailbox.pk).delete(),
        lambda shift, seat: shift.board.workers.all().delete(),
    ],
    ids=["retired seat", "kind that takes no tasks", "dropped board", "no mailbox", "drains no more"],
)
def test_drain__nothing_without_a_worker_a_board_and_a_mailbox(shift: Shift, change: Any) -> None:
    seat = shift.hire()
    task = shift.ledger.file()
    change(shift, seat)
    with_claim = shift.ledger.see(task)
    assert (shift.drain(), drain_boards()) == (0, 0)
    assert shift.ledger.see(task).revision == with_claim.revision
    assert not shift.runs()


def test_drain__nothing_with_dispatch_disabled(shift: Shift, settings: Any) -> None:
    shift.hire()
    shift.ledger.file()
    settings.DISPATCH = "disabled"
    assert (shift.drain(), drain_boards()) == (0, 0)
    settings.DISPATCH = "enabled"
    assert drain_boards() == 1


def test_drain__a_users_own_hire_drains_nothing(shift: Shift, owner: Player) -> None:
    shift.hire()
    Seat.objects.update(owner=owner.user)
    shift.ledger.file()
    assert shift.drain() == 0


def test_retry__re_enters_the_session_of_the_row(shift: Shift) -> None:
    shift.hire()
    task = shift.ledger.file(max_attempts=3)
    answers = iter([ValueError("no luck"), ValueError("again"), None])

    def script(work: Any) -> Any:
        error = next(answers)
        if error:
            raise error
        return work.attempt

    shift.script = script
    shift.work()
    runs = shift.runs(task)
    assert len({run.session_id for run in runs}) == 1
    assert [run.status for run in runs] == ["failed", "failed", "completed"]
    assert [run.dispatch_key.rpartition(":")[2] for run in runs] == ["1", "2", "3"]  # type: ignore[union-attr]
    row = shift.ledger.see(task)
    assert (row.status, row.output, row.attempts) == ("completed", 3, 3)
    assert [seen.feedback for seen in shift.seen] == [
        "", "handler-failed: ValueError: no luck", "handler-failed: ValueError: again",
    ]  # fmt: skip


def test_retry__by_a_seat_of_another_kind_gets_a_session_of_that(shift: Shift, puppet: Puppet) -> None:
    seat = shift.hire()
    task = shift.ledger.file(max_attempts=5)
    for kind in ("handler", "puppet", "handler", "puppet"):
        Seat.objects.filter(pk=seat.pk).update(kind=kind)
        assert shift.drain() == 1
        shift.ledger.fail(task, "again")
        Request.objects.filter(status="pending").update(status="aborted")
    runs = [(run.session.kind, run.session.topic) for run in shift.runs(task)]
    topic = f"task:{task.task_id}"
    assert runs == [("handler", topic), ("puppet", f"{topic}:puppet")] * 2
    assert Session.objects.filter(seat=seat).count() == 2


def test_change_of_kind__a_run_that_waits_is_handed_out_again(shift: Shift, puppet: Puppet) -> None:
    """Not worked by what the worker was: its settings say nothing of that any more."""
    seat = shift.hire()
    task = shift.ledger.file()
    assert shift.drain() == 1
    Seat.objects.filter(pk=seat.pk).update(kind="puppet")
    run_due()
    (run,) = shift.runs()
    assert (run.status, run.error["code"], shift.seen) == ("failed", "worker-retired", [])
    assert mind_held() == 1
    shift.work()
    row = shift.ledger.see(task)
    assert (row.status, row.output, row.attempts) == ("completed", "done", 1)
    assert [run.session.kind for run in shift.runs()] == ["handler", "puppet"]


def test_drain__what_becomes_ready_later(shift: Shift) -> None:
    """A dep that completes, an answer, a release, an unblocking: each row is run then."""
    shift.hire(concurrency=9)
    ledger = shift.ledger
    dep = ledger.file(assignee="wren", labels=("x",))
    waits = ledger.file("waits", deps=(dep.task_id,))
    blocked = ledger.row_in(Status.BLOCKED, goal="blocked", priority=9)
    shift.drain()
    assert [run.input["taskId"] for run in shift.runs()] == [dep.task_id]
    shift.work()
    assert ledger.see(waits).status == "completed"
    ledger.do(settling.unblock_task, blocked)
    shift.work()
    assert ledger.see(blocked).status == "completed"


def test_lapse__the_claim_of_an_outside_worker_is_taken_back(shift: Shift, moment: Moment) -> None:
    task = shift.ledger.file()
    shift.ledger.take("outside", lease=30)
    shift.hire()
    assert shift.drain() == 0
    moment.go(31)
    assert drain_boards() == 1
    shift.work()
    row = shift.ledger.see(task)
    assert (row.status, row.attempts, row.abandonments) == ("completed", 2, 1)


def test_kinds__agents_and_handlers_alike(shift: Shift, puppet: Puppet) -> None:
    shift.hire("support.doll", kind="puppet")
    task = shift.ledger.file()
    shift.work()
    assert shift.ledger.see(task).output == "done"
    assert registry.worker_kinds()["handler"].takes_tasks
    assert not registry.worker_kinds()["handler"].hears_posts


def test_hand_over__looks_again_once_the_seat_is_locked(shift: Shift) -> None:
    """What was true when the seat was looked at may not be any more."""
    from boards.drains.handing import hand_over
    from boards.drains.stations import stations_of

    seat = shift.hire()
    (station,) = stations_of(seat)
    first, second = shift.ledger.file(), shift.ledger.file()
    Seat.objects.update(retired_at=clock.now())
    assert not hand_over(seat, station)
    Seat.objects.update(retired_at=None)
    assert hand_over(seat, station)
    assert not hand_over(seat, station)  # its one hand is full
    assert [shift.ledger.see(task).status for task in (first, second)] == ["in_progress", "pending"]
