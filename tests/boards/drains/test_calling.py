"""Calls to a board's workers: after the commit, few, and none is needed."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError
from django.test import override_settings

from boards.drains.draining import drain_boards
from boards.models import Task
from boards.services import calling, settling
from boards.services.editing import assign_task
from boards.transitions import Status
from tests.boards.drains.shifts import Shift
from workforce import clock
from workforce.dispatch import sweep
from workforce.dispatch.run import try_run
from workforce.dispatch.sending import Message


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    messages: list[Any] = []

    def put(message: Message) -> None:
        if message.task == calling.DRAIN:
            messages.append((list(message.args), message.countdown))

    monkeypatch.setattr(calling.SENDER, "put", put)
    monkeypatch.setattr(calling, "_calls", calling._Calls())
    return messages


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(calling.time, "monotonic", lambda: now[0])
    return now


def test_call__at_once_and_then_together(
    shift: Shift, sent: list[Any], seconds: list[float], django_capture_on_commit_callbacks: Any
) -> None:
    shift.hire()
    board = [shift.board.pk]
    for at, count in [(0, 1), (0.01, 2), (0.1, 2), (0.14, 2), (0.2, 3), (0.7, 4)]:
        seconds[0] = 100 + at
        with django_capture_on_commit_callbacks(execute=True):
            shift.ledger.file()
        assert len(sent) == count, (at, sent)
    assert sent == [(board, None), (board, 0.2), (board, 0.2), (board, None)]


def test_call__none_for_a_board_without_workers_or_with_dispatch_disabled(
    shift: Shift, sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        shift.ledger.file()
    shift.hire()
    with override_settings(DISPATCH="disabled"), django_capture_on_commit_callbacks(execute=True):
        shift.ledger.file()
    assert sent == []


@pytest.mark.parametrize(
    ("status", "change"),
    [
        (Status.PENDING, lambda ledger, task: ledger.do(assign_task, task, assignee="wren")),
        (Status.BLOCKED, lambda ledger, task: ledger.do(settling.unblock_task, task)),
        (Status.PARKED, lambda ledger, task: ledger.do(settling.answer_task, task, answer="This.")),
        (Status.IN_PROGRESS, lambda ledger, task: ledger.do(settling.reclaim_task, task)),
        (Status.IN_PROGRESS, lambda ledger, task: ledger.fail(task)),
        (Status.IN_PROGRESS, lambda ledger, task: ledger.complete(task)),
    ],
    ids=["assigned", "unblocked", "answered", "reclaimed", "retried", "a dep completed"],
)
def test_call__when_a_row_becomes_ready(
    shift: Shift, sent: list[Any], status: Status, change: Any, django_capture_on_commit_callbacks: Any
) -> None:
    task = shift.ledger.row_in(status, max_attempts=2)
    shift.hire()
    with django_capture_on_commit_callbacks(execute=True):
        change(shift.ledger, task)
        assert sent == []
    assert sent == [([shift.board.pk], None)]


def test_call__when_workers_come_and_go(
    shift: Shift, sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        shift.hire()
    with django_capture_on_commit_callbacks(execute=True):
        shift.settle()  # nothing changes
    assert sent == [([shift.board.pk], None)]


def test_call__when_a_run_ends_also_badly(
    shift: Shift, sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    shift.hire()
    shift.ledger.file()
    shift.drain()
    shift.script = lambda task: 1 / 0
    with django_capture_on_commit_callbacks(execute=True):
        assert try_run(shift.runs()[0].uid)
    assert sent == [([shift.board.pk], None)]


def test_call__that_was_not_made_is_made_with_the_next(
    shift: Shift, sent: list[Any], monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    shift.hire()
    working = calling._is_drained

    def away(board: int) -> bool:
        raise OperationalError("database is locked")

    monkeypatch.setattr(calling, "_is_drained", away)
    with django_capture_on_commit_callbacks(execute=True):
        shift.ledger.file()
    monkeypatch.setattr(calling, "_is_drained", working)
    with django_capture_on_commit_callbacks(execute=True):
        shift.ledger.file()
    assert sent == [([shift.board.pk], None)]


def test_sweep__finds_what_no_call_was_sent_for(shift: Shift) -> None:
    shift.hire()
    task = shift.ledger.file()
    assert sweep.run_registered()["drained"] == 1
    assert shift.ledger.see(task).status == "in_progress"
    assert "drained" not in sweep.run_registered()


def test_sweep__one_bad_board_does_not_stop_the_rest(
    shift: Shift, mailbox: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from boards.drains import draining
    from tests.boards.ledgers import Ledger, make_board

    mailbox("a.b")
    other = Ledger(make_board(shift.board.organization, "a.b.c"))
    shift.hire()
    bad = shift.hire("support.robin", "a.b.c")
    task, there = shift.ledger.file(assignee="wren"), other.file()
    fill = draining.fill_seat

    def broken(seat: Any) -> int:
        if seat.pk == bad.pk:
            raise ValueError("broken seat")
        return fill(seat)

    monkeypatch.setattr(draining, "fill_seat", broken)
    assert drain_boards() == 0
    assert shift.ledger.see(task).status == "in_progress"
    monkeypatch.setattr(draining, "fill_seat", fill)
    assert drain_boards() == 1
    assert other.see(there).status == "in_progress"


def test_sweep__asks_little_when_there_is_nothing(shift: Shift, django_assert_num_queries: Any) -> None:
    shift.hire()
    shift.ledger.file()
    shift.work()
    with django_assert_num_queries(2):
        assert drain_boards() == 0
    Task.objects.update(status="in_progress", lease_until=clock.EPOCH, abandonments=0)
    assert drain_boards() == 1
