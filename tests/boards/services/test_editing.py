"""Changing what a row says: all of a patch or nothing of it."""

from __future__ import annotations

from typing import Any

import pytest

from boards.errors import (
    DomainError,
    TaskNotFound,
    TaskWriteDeclined,
    TerminalTaskWriteDeclined,
    UnknownAssignee,
)
from boards.models import BoardWorker, TaskLabel
from boards.services.editing import Patch, assign_task, update_task
from boards.transitions import Status, is_assignable, is_ending
from tests.boards.ledgers import ADA, Ledger, unwritten
from workforce.errors import InvalidInput, Stale


def update(ledger: Ledger, task: Any, **patch: Any) -> Any:
    return ledger.do(update_task, task, patch=Patch(**patch))


@pytest.mark.parametrize("status", Status)
def test_assign__from_each_status(ledger: Ledger, status: Status) -> None:
    task = ledger.row_in(status)
    if is_assignable(status):
        assert ledger.do(assign_task, task, assignee="robin").assignee == "robin"
        event = ledger.last(task)
        assert (event.kind, event.changes) == ("assignee_changed", {"assignee": "robin"})
        return
    refusal = TerminalTaskWriteDeclined if is_ending(status) else TaskWriteDeclined
    with unwritten(), pytest.raises(refusal) as refused:
        ledger.do(assign_task, task, assignee="robin")
    assert ("wren" if status is Status.IN_PROGRESS else status) in refused.value.words


@pytest.mark.parametrize("status", Status)
def test_update__priority_labels_and_metadata_from_each_status(ledger: Ledger, status: Status) -> None:
    task = ledger.row_in(status)
    updated = update(ledger, task, priority=2.5, metadata={"a": 1}, add_label="hot")
    assert (updated.priority, updated.rank, updated.metadata, updated.labels) == (2.5, 2.5, {"a": 1}, ["hot"])
    assert (updated.status, updated.revision) == (status, task.revision + 1)
    event = ledger.last(task)
    assert event.kind == "priority_changed"
    assert event.changes == {"priority": 2.5, "metadata": {"a": 1}, "labels": ["hot"]}


@pytest.mark.parametrize(
    ("patch", "kind"),
    [
        ({"priority": 1}, "priority_changed"),
        ({"add_label": "x"}, "label_changed"),
        ({"metadata": {"k": None}}, "metadata_changed"),
        ({"assignee": "wren", "priority": 1}, "assignee_changed"),
    ],
)
def test_update__one_event_for_one_patch(ledger: Ledger, patch: dict[str, Any], kind: str) -> None:
    task = ledger.file()
    update(ledger, task, **patch)
    assert ledger.kinds(task) == ["added", kind]


def test_update__what_it_says_already_writes_nothing(ledger: Ledger) -> None:
    task = ledger.file(priority=1, labels=("a",), metadata={"k": [1]}, assignee="wren")
    same: list[dict[str, Any]] = [
        {}, {"priority": 1.0}, {"add_label": "a"}, {"remove_label": "z"}, {"metadata": {}},
        {"metadata": {"k": [1]}}, {"assignee": "wren"}, {"add_label": "b", "remove_label": "z"},
    ]  # fmt: skip
    for patch in same[:-1]:
        with unwritten():
            update(ledger, task, **patch)
    update(ledger, task, **same[-1])
    assert ledger.see(task).labels == ["a", "b"]


@pytest.mark.parametrize("value", [True, 1.0, "1"])
def test_update__values_that_python_confuses_are_changes(ledger: Ledger, value: Any) -> None:
    task = ledger.file(metadata={"k": 1})
    assert update(ledger, task, metadata={"k": value}).metadata == {"k": value}
    assert type(ledger.see(task).metadata["k"]) is type(value)


def test_update__metadata_is_merged_shallowly(ledger: Ledger) -> None:
    task = ledger.file(metadata={"a": {"x": 1}, "b": 2})
    assert update(ledger, task, metadata={"a": {"y": 1}, "c": 3}).metadata == {"a": {"y": 1}, "b": 2, "c": 3}


def test_update__labels_can_be_looked_up(ledger: Ledger) -> None:
    task = ledger.file(labels=("a", "b"))
    update(ledger, task, add_label="c", remove_label="a")
    assert ledger.see(task).labels == ["b", "c"]
    assert sorted(TaskLabel.objects.values_list("label", flat=True)) == ["b", "c"]
    assert ledger.take(labels=("c",))[0].pk == task.pk


def test_update__priority_taken_away(ledger: Ledger) -> None:
    task = ledger.file(priority=3)
    updated = update(ledger, task, priority=None)
    assert (updated.priority, updated.rank) == (None, 0)


def test_update__too_many_labels_and_too_much_metadata_name_the_figure(ledger: Ledger) -> None:
    task = ledger.file(labels=tuple(f"l{n}" for n in range(50)), metadata={"a": "x" * 10_000})
    with unwritten(), pytest.raises(InvalidInput, match="51 labels; the limit is 50"):
        update(ledger, task, add_label="one more")
    with unwritten(), pytest.raises(InvalidInput, match="the limit is 16384"):
        update(ledger, task, metadata={"b": "x" * 10_000})
    update(ledger, task, add_label="one more", remove_label="l0")


def test_update__a_refused_assignee_keeps_the_rest_unwritten(ledger: Ledger) -> None:
    BoardWorker.objects.create(board=ledger.board, worker_id="support.wren", key="wren")
    rest: dict[str, Any] = {"priority": 9, "metadata": {"a": 1}, "add_label": "x"}
    for status in (Status.COMPLETED, Status.PENDING):
        task = ledger.row_in(status)
        with unwritten(), pytest.raises(UnknownAssignee):
            update(ledger, task, assignee="robin", **rest)
    task = ledger.row_in(Status.CANCELLED)
    with unwritten(), pytest.raises(TerminalTaskWriteDeclined):
        update(ledger, task, assignee="wren", **rest)


def test_update__unknown_row_and_stale_revision(ledger: Ledger) -> None:
    task = ledger.file()
    refused: list[tuple[type[DomainError], dict[str, Any]]] = [
        (TaskNotFound, {"task_id": "task_x"}),
        (Stale, {"task_id": task.task_id, "if_revision": 7}),
    ]
    for refusal, arguments in refused:
        with unwritten(), pytest.raises(refusal):
            update_task(board=ledger.board, by=ADA, patch=Patch(priority=1), **arguments)
