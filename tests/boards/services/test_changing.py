"""The one way a row is changed: conditional, with its event, and nothing when nothing differs."""

from __future__ import annotations

from typing import Any

import pytest

from boards.errors import TaskNotFound
from boards.hands import Hand
from boards.models import Task
from boards.services.changing import Change, change_task, same_json, write_change
from tests.boards.ledgers import ADA, Ledger, Moment, facts, make_board, replay, unwritten
from workforce.models import Organization


def test_change__asked_again_when_another_write_came_between(ledger: Ledger) -> None:
    task = ledger.file()
    seen: list[int] = []

    def decide(row: Task) -> Change:
        seen.append(row.revision)
        if len(seen) == 1:
            Task.objects.filter(pk=row.pk).update(revision=row.revision + 1)
        return Change(kind="blocked", columns={"error": f"at {row.revision}"})

    changed = ledger.do(change_task, task, decide=decide)
    assert (seen, changed.error, changed.revision) == ([1, 2], "at 2", 3)


def test_write__not_over_another_write(ledger: Ledger) -> None:
    task = ledger.file()
    Task.objects.update(revision=2)
    with unwritten():
        change = Change(kind="blocked", columns={"error": "late"})
        assert not write_change(board=ledger.board, task=task, change=change, by=ADA)


def test_write__what_is_so_already_is_no_write(ledger: Ledger) -> None:
    task = ledger.file(labels=("a",))
    with unwritten():
        change = Change(kind="label_changed", columns={"labels": ["a"], "goal": task.goal})
        assert write_change(board=ledger.board, task=task, change=change, by=ADA)


def test_change__time_never_goes_back(ledger: Ledger, moment: Moment) -> None:
    task = ledger.file()
    moment.go(-100)
    changed = ledger.do(change_task, task, decide=lambda _: Change("blocked", {"error": "x"}))
    assert changed.updated_at == task.updated_at


def test_change__who_did_it(ledger: Ledger) -> None:
    task = ledger.file()
    hand = Hand(principal="ada", seat="support.lead")
    change_task(
        board=ledger.board, task_id=task.task_id, by=hand, decide=lambda _: Change("blocked", {"error": "x"})
    )
    event = ledger.last(task)
    assert (event.principal, event.passname, event.seat, event.told) == ("ada", "", "support.lead", False)


def test_change__not_a_row_of_another_board(ledger: Ledger, organization: Organization) -> None:
    task = Ledger(make_board(organization, "a.b.c")).file()
    with unwritten(), pytest.raises(TaskNotFound):
        ledger.do(change_task, task, decide=lambda _: None)


def test_history__replays_to_the_row(ledger: Ledger) -> None:
    task = ledger.file(priority=1, labels=("a",), max_attempts=2, assignee="wren", metadata={"k": 1})
    taken, ticket = ledger.take()
    ledger.fail(taken, "broke", ticket=ticket)
    taken, ticket = ledger.take()
    ledger.complete(taken, ticket=ticket)
    assert replay(task) == facts(ledger.see(task))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"a": True}, False),
        ([0], [False], False),
        ([1], [1.0], False),
        (None, {}, False),
        (None, None, True),
        (1, 1.0, True),
        ("a", "a", True),
    ],
)
def test_same_json__types_count_inside_of_json(one: Any, other: Any, same: bool) -> None:
    assert same_json(one, other) is same
