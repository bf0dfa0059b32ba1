"""Taking rows: readiness, order, leases, tickets, abandonment."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection

from boards.errors import LostClaim
from boards.models import Task, TaskEvent
from boards.services import claiming, settling
from boards.services.claiming import claim_next, renew_lease
from boards.transitions import Status
from tests.boards.ledgers import ADA, ENDINGS, OPEN, Ledger, Moment, make_board, unwritten
from workforce.errors import InvalidInput
from workforce.models import Organization


def test_claim__what_it_writes(ledger: Ledger, moment: Moment) -> None:
    filed = ledger.file()
    moment.go(5)
    task, ticket = ledger.take("wren", lease=90)
    assert (task.pk, task.status, task.attempts, task.abandonments) == (filed.pk, "in_progress", 1, 0)
    assert (task.claimed_by, task.lease_seconds) == ("wren", 90)
    assert task.lease_until == moment.now + timedelta(seconds=90)
    assert (task.started_at, task.updated_at, task.revision) == (moment.now, moment.now, 2)
    event = ledger.last(task)
    assert (event.kind, event.from_status, event.to_status) == ("claimed", "pending", "in_progress")
    assert event.changes == {"attempts": 1, "heldBy": "wren"}
    assert (event.principal, event.passname, event.at) == ("ada", "ada-desk", moment.now)
    assert ticket.isascii()
    assert str(task.pk) not in ticket


def test_claim__by_default_for_two_minutes(ledger: Ledger, moment: Moment) -> None:
    ledger.file()
    claimed = claim_next(board=ledger.board, worker="wren", by=ADA)
    assert claimed is not None
    assert claimed[0].lease_until == moment.now + timedelta(seconds=120)


def test_claim__nothing_ready_writes_nothing(ledger: Ledger) -> None:
    for status in (*ENDINGS, Status.BLOCKED, Status.PARKED, Status.IN_PROGRESS):
        ledger.row_in(status)
    with unwritten():
        assert ledger.claim() is None


def test_claim__priority_then_age_then_id(ledger: Ledger, moment: Moment) -> None:
    later = [ledger.file(str(number)) for number in range(2)]
    low = ledger.file("low", priority=-1)
    moment.go(-10)
    older = ledger.file("older")
    high = ledger.file("high", priority=0.5)
    order = [ledger.take()[0].pk for _ in range(5)]
    assert order == [high.pk, older.pk, later[0].pk, later[1].pk, low.pk]


def test_claim__only_what_is_wanted(ledger: Ledger) -> None:
    ledger.file("free")
    mine = ledger.file("mine", assignee="wren", labels=("a", "b"))
    ledger.file("other", assignee="robin", labels=("a",))
    assert ledger.claim(assignee="finch") is None
    assert ledger.claim(labels=("a", "c")) is None
    assert ledger.take(assignee="wren", labels=("b", "a"))[0].pk == mine.pk
    assert ledger.claim(assignee="wren") is None
    assert ledger.take(labels=("a",))[0].goal == "other"
    assert ledger.take()[0].goal == "free"


def test_claim__rows_of_its_board_only(ledger: Ledger, organization: Organization) -> None:
    other = Ledger(make_board(organization, "support.help.ideas"))
    other.file()
    assert ledger.claim() is None
    assert other.claim() is not None


@pytest.mark.parametrize("lease", [-1, 0, 86_401, 10**12])
def test_claim__a_lease_outside_its_bounds_is_refused(ledger: Ledger, lease: int) -> None:
    ledger.file()
    with (
        unwritten(),
        pytest.raises(InvalidInput, match=f"leaseSeconds: must be from 1 to 86400.*not {lease}"),
    ):
        ledger.claim(lease=lease)


@pytest.mark.parametrize("lease", [1, 86_400])
def test_claim__a_lease_at_its_bounds(ledger: Ledger, lease: int) -> None:
    ledger.file()
    assert ledger.take(lease=lease)[0].lease_seconds == lease


def test_claim__a_lapsed_row_counts_an_abandonment(ledger: Ledger, moment: Moment) -> None:
    filed = ledger.file()
    first, old = ledger.take("wren", lease=10)
    moment.go(9.999)
    assert ledger.claim("robin") is None
    moment.go(0.001)
    task, ticket = ledger.take("robin", lease=10)
    assert (task.pk, task.attempts, task.abandonments) == (filed.pk, 2, 1)
    assert (task.claimed_by, task.started_at) == ("robin", first.started_at)
    event = ledger.last(task)
    assert (event.kind, event.from_status, event.to_status) == ("claimed", "in_progress", "in_progress")
    assert ticket != old
    with unwritten(), pytest.raises(LostClaim, match="claim again"):
        ledger.complete(task, ticket=old)
    ledger.complete(task, ticket=ticket)


def test_claim__the_fourth_run_is_the_last_and_the_claim_goes_on(ledger: Ledger, moment: Moment) -> None:
    bad = ledger.file("bad", priority=1)
    good = ledger.file("good")
    for run in range(4):
        task, _ = ledger.take(f"wren{run}", lease=1)
        assert (task.pk, task.attempts, task.abandonments) == (bad.pk, run + 1, run)
        moment.go(1)
    task, _ = ledger.take("robin")
    assert task.pk == good.pk
    bad = ledger.see(bad)
    assert (bad.status, bad.attempts, bad.abandonments) == ("errored", 4, 3)
    assert "stopped renewing 4 times" in bad.error
    assert "'wren3'" in bad.error
    assert (bad.completed_at, bad.claimed_by, bad.lease_until) == (moment.now, "", None)
    event = ledger.last(bad)
    assert (event.kind, event.principal) == ("errored", "")
    assert ledger.kinds(bad) == ["added", *["claimed"] * 4, "errored"]


@pytest.mark.parametrize("assignee", ["", "wren"])
def test_claim__lapsed_and_pending_rows_in_one_order(ledger: Ledger, moment: Moment, assignee: str) -> None:
    wanted = {"assignee": assignee} if assignee else {}
    low = ledger.file("low", priority=1, assignee="wren", labels=("a",))
    high = ledger.file("high", priority=9, assignee="wren", labels=("a",))
    for row in (high, low):
        assert ledger.take(lease=1, **wanted)[0].pk == row.pk
    middle = ledger.file("middle", priority=5, assignee="wren", labels=("a",))
    late = ledger.file("late", priority=1, assignee="wren", labels=("a",))
    ledger.file("not wanted", priority=0, assignee="robin")
    moment.go(1)
    order = [ledger.take(labels=("a",), **wanted)[0].pk for _ in range(4)]
    assert order == [high.pk, middle.pk, low.pk, late.pk]
    assert ledger.claim(labels=("a",), **wanted) is None


def test_claim__costs_a_look_and_a_write(ledger: Ledger, django_assert_num_queries: object) -> None:
    ledger.file()
    # on PostgreSQL one statement; else find, write and event, and the savepoint
    with django_assert_num_queries(1 if connection.vendor == "postgresql" else 5):  # type: ignore[operator]
        ledger.take()


@pytest.mark.parametrize("worker", ["wren", 'w"\\é {0} %s 🦉'])
@pytest.mark.parametrize("run", [None, {"sessionId": "s", "requestId": "r", "attempt": 1}])
def test_claim__writes_the_same_in_one_statement_as_in_two(
    ledger: Ledger,
    moment: Moment,
    monkeypatch: pytest.MonkeyPatch,
    worker: str,
    run: dict[str, object] | None,
) -> None:
    """Where the database can do it, a claim is one statement that says anew what the decision says."""
    found = []
    for at_once in (connection.vendor == "postgresql", False):
        monkeypatch.setattr(claiming, "can_take_at_once", lambda at_once=at_once: at_once)
        filed = ledger.file(max_attempts=3)
        _, ticket = ledger.take("owl")
        moment.go(3)
        ledger.fail(filed, ticket=ticket)
        Task.objects.filter(pk=filed.pk).update(run=run)
        moment.go(-1)  # the clock stepped back: what is written keeps its order
        task, _ = ledger.take(worker, lease=77)
        row = Task.objects.filter(pk=task.pk).values().get()
        event = TaskEvent.objects.filter(task=task).order_by("-id").values().first()
        assert {name: getattr(task, name) for name in row} == row
        assert event is not None
        moment.go(-2)
        found.append([_anonymous(row), _anonymous(event)])
    assert found[0] == found[1]


def _anonymous(row: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in row.items() if name not in {"id", "task_id", "settled_with"}}


def test_claim__a_parked_row_never_lapses(ledger: Ledger, moment: Moment) -> None:
    ledger.row_in(Status.PARKED)
    moment.go(10**6)
    assert ledger.claim() is None


def test_claim__clears_the_run(ledger: Ledger) -> None:
    filed = ledger.file(max_attempts=2)
    _, ticket = ledger.take()
    type(filed).objects.update(run={"sessionId": "s", "requestId": "r", "attempt": 1})
    ledger.fail(filed, ticket=ticket)
    assert ledger.see(filed).run is not None
    assert ledger.take()[0].run is None


def test_renew__moves_the_lease_and_is_no_event(ledger: Ledger, moment: Moment) -> None:
    ledger.file()
    task, ticket = ledger.take(lease=10)
    moment.go(8)
    renewed = ledger.do(renew_lease, task, ticket=ticket)
    assert renewed.lease_until == moment.now + timedelta(seconds=10)
    renewed = ledger.do(renew_lease, task, ticket=ticket, lease_seconds=30)
    assert renewed.lease_until == moment.now + timedelta(seconds=30)
    assert ledger.see(task).lease_until == renewed.lease_until
    assert (ledger.see(task).revision, ledger.kinds(task)) == (2, ["added", "claimed"])
    moment.go(29)
    assert ledger.claim("robin") is None


def test_renew__a_lapsed_lease_that_nobody_took_back(ledger: Ledger, moment: Moment) -> None:
    ledger.file()
    task, ticket = ledger.take(lease=1)
    moment.go(100)
    ledger.do(renew_lease, task, ticket=ticket)
    assert ledger.claim("robin") is None


@pytest.mark.parametrize("lease", [0, 86_401])
def test_renew__a_lease_outside_its_bounds_is_refused(ledger: Ledger, lease: int) -> None:
    ledger.file()
    task, ticket = ledger.take()
    with unwritten(), pytest.raises(InvalidInput, match="leaseSeconds"):
        ledger.do(renew_lease, task, ticket=ticket, lease_seconds=lease)


@pytest.mark.parametrize("status", [*OPEN, *ENDINGS])
def test_ticket__of_an_earlier_claim_holds_nothing(ledger: Ledger, status: Status) -> None:
    task = ledger.file(max_attempts=9)
    _, old = ledger.take()
    ledger.do(settling.release_task, task, ticket=old)
    if status is Status.IN_PROGRESS:
        ledger.take("robin")
    elif status is Status.BLOCKED:
        ledger.do(settling.block_task, task)
    elif status is Status.CANCELLED:
        ledger.do(settling.cancel_task, task)
    elif status is not Status.PENDING:
        _, new = ledger.take("robin")
        if status is Status.PARKED:
            ledger.do(settling.park_task, task, question="?", ticket=new)
        if status is Status.COMPLETED:
            ledger.complete(task, ticket=new)
        if status is Status.ERRORED:
            type(task).objects.update(max_attempts=None)
            ledger.fail(task, ticket=new)
    assert ledger.see(task).status == status
    calls = [
        lambda: ledger.complete(task, "late", ticket=old),
        lambda: ledger.fail(task, "late", ticket=old),
        lambda: ledger.do(settling.park_task, task, question="late", ticket=old),
        lambda: ledger.do(settling.cancel_task, task, reason="late", ticket=old),
        lambda: ledger.do(renew_lease, task, ticket=old),
    ]
    for call in calls:
        with unwritten(), pytest.raises(LostClaim):
            call()


def test_ticket__of_another_row_board_or_made_up(ledger: Ledger, organization: Organization) -> None:
    other = Ledger(make_board(organization, "support.help.ideas"))
    for each in (ledger, other):
        each.file()
        each.file()
    task, ticket = ledger.take()
    wrong = [
        ledger.take()[1],
        other.take()[1],
        "",
        "x",
        "é",
        ticket[:-1],
        ticket + "A",
        "A" + ticket,
        "=" * 40,
    ]
    for text in wrong:
        for verb, more in (
            (renew_lease, {}),
            (settling.release_task, {}),
            (settling.complete_task, {"output": 1}),
        ):
            with unwritten(), pytest.raises(LostClaim):
                ledger.do(verb, task, ticket=text, **more)
    ledger.complete(task, ticket=ticket)
