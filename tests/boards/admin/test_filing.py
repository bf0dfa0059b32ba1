"""Filing a row by the form."""

from __future__ import annotations

import pytest
from django.test import Client

from boards.models import BoardWorker, Task
from tests.boards.admin.conftest import board_path
from tests.boards.ledgers import Ledger, unwritten


def test_file__takes_everything_of_a_row(operator: Client, ledger: Ledger) -> None:
    first = ledger.file()
    data = {
        "goal": "Read it.\r\nAnswer it.", "title": "Read", "assignee": "wren", "priority": "2.5", "max_attempts": "3",
        "labels": "a, b,,a b", "deps": f" {first.task_id}\n", "context": "It is long.", "input": '{"n": 1}',
    }  # fmt: skip
    answer = operator.post(board_path(ledger, "file/"), data)
    assert (answer.status_code, answer["Location"]) == (302, board_path(ledger))
    task = Task.objects.latest("pk")
    assert (task.goal, task.title, task.assignee, task.priority) == (
        "Read it.\nAnswer it.",
        "Read",
        "wren",
        2.5,
    )
    assert (task.max_attempts, task.labels, task.context, task.input) == (
        3,
        ["a", "b", "a b"],
        "It is long.",
        {"n": 1},
    )
    assert [edge.dep for edge in task.dep_rows.all()] == [first]
    assert ledger.last(task).kind == "added"


@pytest.mark.parametrize(
    ("data", "status", "words"),
    [
        ({"goal": ""}, 400, "required"),
        ({"goal": "   "}, 400, "goal: "),
        ({"goal": "a\x00"}, 400, "Null characters"),
        ({"goal": "x" * 32_769}, 400, "goal: "),
        ({"priority": "high"}, 400, "priority"),
        ({"priority": "nan"}, 400, "priority"),
        ({"max_attempts": "0"}, 400, "maxAttempts"),
        ({"labels": "x" * 65}, 400, "labels"),
        ({"input": "{"}, 400, "Input"),
        ({"input": '{"a": NaN}'}, 400, "Input"),
        ({"deps": "task_none"}, 422, "task_none"),
        ({"assignee": "nobody"}, 422, "nobody"),
    ],
)  # fmt: skip
def test_file__refusals_are_shown_and_write_nothing(
    operator: Client, ledger: Ledger, data: dict[str, str], status: int, words: str
) -> None:
    BoardWorker.objects.create(board=ledger.board, worker_id="support.wren", key="wren")
    with unwritten():
        answer = operator.post(board_path(ledger, "file/"), {"goal": "Do it.", **data})
    assert answer.status_code == status
    assert words in answer.context["refusal"]
