"""Editing what a row says: priority, labels and metadata, whole, with the revision that was looked at."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from boards.models import Task, TaskLabel
from boards.services import settling
from boards.transitions import Status
from tests.boards.admin.conftest import said, task_path
from tests.boards.ledgers import Ledger, unwritten
from tests.workforce.admin.conftest import World


def form_of(client: Client, task: Task) -> dict[str, Any]:
    """What the form shows, as a browser would send it back."""
    answer = client.get(task_path(task, "edit/"))
    assert answer.status_code == 200
    return {**answer.context["form"].initial, "revision": task.revision}


def save(client: Client, task: Task, **typed: Any) -> Any:
    return client.post(task_path(task, "edit/"), {**form_of(client, task), **typed})


@pytest.mark.parametrize("status", Status)
def test_edit__from_each_status(operator: Client, ledger: Ledger, status: Status) -> None:
    task = ledger.row_in(status, priority=1, labels=("a", "b"), metadata={"k": 1, "gone": [None]})
    answer = save(
        operator, task, priority="-2.5", labels="b\r\n c \r\n\r\nb", metadata='{"k": "ü", "new": {}}'
    )
    assert (answer.status_code, answer["Location"]) == (302, task_path(task))
    row = ledger.see(task)
    assert (row.priority, row.rank, row.labels) == (-2.5, -2.5, ["b", "c"])
    assert row.metadata == {"k": "ü", "new": {}}
    assert (row.status, row.revision) == (status, task.revision + 1)
    assert sorted(TaskLabel.objects.values_list("label", flat=True)) == ["b", "c"]
    event = ledger.last(task)
    assert event.kind == "priority_changed"
    assert event.changes == {"priority": -2.5, "labels": ["b", "c"], "metadata": {"k": "ü", "new": {}}}
    assert any("is saved" in words for words in said(operator.get(task_path(task))))


def test_edit__what_was_not_touched_is_not_written(operator: Client, ledger: Ledger) -> None:
    odd = ledger.file(
        priority=0.1 + 0.2, labels=("two\nlines", " edge "), metadata={"n": 10**30, "f": 1.0, "\x00": "\x01"}
    )
    for task in (odd, ledger.file()):
        with unwritten():
            assert save(operator, task).status_code == 302
    save(operator, odd, priority="")
    row = ledger.see(odd)
    assert (row.priority, row.rank, row.labels) == (None, 0, odd.labels)
    assert row.metadata == odd.metadata
    save(operator, row, labels="", metadata=" ")
    assert (ledger.see(odd).labels, ledger.see(odd).metadata) == ([], {})


@pytest.mark.parametrize(
    ("typed", "field", "words"),
    [
        ({"priority": "high"}, "Priority", "number"),
        ({"priority": "nan"}, "Priority", "finite"),
        ({"priority": "1e300"}, "Priority", "less than"),
        ({"priority": "9" * 5000}, "Priority", "number"),
        ({"labels": "x" * 65}, "Labels", "64"),
        ({"labels": "a\x00b"}, "labels", "Null"),
        ({"labels": "\n".join(f"l{n}" for n in range(51))}, "Labels", "50"),
        ({"metadata": "{"}, "Metadata", ""),
        ({"metadata": "[1]"}, "Metadata", "dictionary"),
        ({"metadata": "5"}, "Metadata", "dictionary"),
        ({"metadata": '{"a": 1, "a": 2}'}, "Metadata", "twice"),
        ({"metadata": '{"a": NaN}'}, "Metadata", "NaN"),
        ({"metadata": '{"a": "' + "x" * 16_384 + '"}'}, "Metadata", "16384"),
        ({"revision": ""}, "revision", "missing"),
    ],
)  # fmt: skip
def test_edit__bad_input_is_named_and_kept(
    operator: Client, ledger: Ledger, typed: dict[str, Any], field: str, words: str
) -> None:
    task = ledger.file(labels=("a",), priority=1)
    with unwritten():
        answer = save(operator, task, **{"priority": "7", **typed})
    assert answer.status_code == 400
    refusal = answer.context["refusal"]
    assert field.lower() in refusal.lower() and words in refusal, refusal
    assert answer.context["form"]["priority"].value() == typed.get("priority", "7")


def test_edit__a_change_in_another_window_is_shown_and_not_overwritten(
    operator: Client, ledger: Ledger
) -> None:
    task = ledger.file(metadata={"k": 1})
    form = form_of(operator, task)
    ledger.do(settling.block_task, task, reason="later")
    with unwritten():
        answer = operator.post(task_path(task, "edit/"), {**form, "metadata": '{"k": 2}'})
    assert answer.status_code == 412
    page = answer.content.decode()
    assert "It changed meanwhile, and nothing was written" in page
    assert "Last change: <b>blocked</b>" in page
    assert f'name="revision" value="{task.revision + 1}"' in page
    assert "{&quot;k&quot;: 2}" in page


def test_edit__of_another_organization_is_not_there(operator: Client, elsewhere: World) -> None:
    task = elsewhere.rows["boards.task"]
    with unwritten():
        assert operator.get(task_path(task, "edit/")).status_code == 404
        assert operator.post(task_path(task, "edit/"), {"revision": 1, "priority": 5}).status_code == 404
