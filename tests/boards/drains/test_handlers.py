"""The handler kind: Python on the allow-list does the row, and what goes wrong is the row's."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from boards.models import Task
from tests.boards.drains.shifts import Shift
from tests.mailboxes.loads import load, run
from tests.trees import record, write_tree
from workforce.kinds import handlers
from workforce.kinds.handlers import HandlerTask
from workforce.models import Item, Request
from workforce.workers.registering import register_task_handlers


def double(task: HandlerTask) -> Any:
    return task.input * 2


def items(shift: Shift) -> list[Any]:
    return list(Item.objects.filter(request__action="work").order_by("seq").values_list("type", "data"))


def test_handler__is_told_of_the_row_and_its_run_is_shown(shift: Shift) -> None:
    shift.hire()
    filed = {"title": "Look", "context": "Since noon.", "input": [1]}
    task = shift.ledger.file("Look at it.", **filed)
    shift.work()
    (seen,) = shift.seen
    told = {
        name: getattr(seen, name) for name in ("goal", "title", "context", "input", "feedback", "attempt")
    }
    assert told == {"goal": "Look at it.", **filed, "feedback": "", "attempt": 1}
    assert (seen.task_id, seen.board_id) == (task.task_id, shift.board.board_id)
    assert items(shift) == [
        ("message", {"role": "user", "text": "Look at it."}),
        ("tool_output", {"tool": "scripted", "output": {"did": "Look at it."}}),
    ]


def test_handler__is_called_outside_of_any_transaction(transactional_db: None, shift: Shift) -> None:
    inside: list[bool] = []
    shift.hire()
    shift.ledger.file()
    shift.script = lambda task: inside.append(connection.in_atomic_block)
    shift.work()
    assert inside == [False]


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (lambda task: 1 / 0, "handler-failed: ZeroDivisionError: division by zero"),
        (lambda task: sys.exit(3), "handler-failed: SystemExit: 3"),
        (lambda task: {}["x"], "handler-failed: KeyError: 'x'"),
        (lambda task: int("\x00\ud800"), "handler-failed: ValueError: "),
        (lambda task: {1: 2}, "invalid-input: output: value: the key 1 is not text"),
        (lambda task: (1, 2), "invalid-input: output: value: tuple is not JSON"),
        (lambda task: {"a": {"b": float("inf")}}, "invalid-input: output: a.b: inf is not JSON"),
        (lambda task: ["x" * 300_000], "invalid-input: output: has 300004 bytes as JSON"),
        (lambda task: "\ud800", "invalid-input: output: value: contains a lone surrogate"),
    ],
)
def test_handler__that_fails_fails_the_row(shift: Shift, script: Any, said: str) -> None:
    shift.hire()
    task = shift.ledger.file()
    shift.script = script
    shift.work()
    row, (request,) = shift.ledger.see(task), shift.runs()
    assert (row.status, row.output) == ("errored", None)
    assert row.error.startswith(said)
    assert "Traceback" not in row.error + str(request.error)
    code, _, words = said.partition(": ")
    assert (request.status, request.error["code"]) == ("failed", code)
    assert request.error["message"].startswith(words)
    assert [type for type, _ in items(shift)] == ["message", "error"]


def test_handler__its_words_are_cut(shift: Shift) -> None:
    shift.hire()
    task = shift.ledger.file()

    def script(task: HandlerTask) -> None:
        raise ValueError("x" * 5000)

    shift.script = script
    shift.work()
    assert len(shift.ledger.see(task).error) == len("handler-failed: ") + 1000


@pytest.mark.parametrize("output", [None, 0, "", [], {"deep": [{"é": None}]}, 1.5])
def test_handler__any_strict_json_is_an_output(shift: Shift, output: Any) -> None:
    shift.hire()
    task = shift.ledger.file()
    shift.script = lambda task: output
    shift.work()
    row = shift.ledger.see(task)
    assert (row.status, row.output) == ("completed", output)


def test_handler__that_left_the_list_fails_the_row(shift: Shift, monkeypatch: pytest.MonkeyPatch) -> None:
    shift.hire()
    task = shift.ledger.file()
    monkeypatch.setattr(handlers, "_HANDLERS", {"scribed": double})
    shift.work()
    error = shift.ledger.see(task).error
    assert error == "handler-unknown: unknown handler 'scripted' (did you mean 'scribed'?); known: scribed"


def tree(root: Path, keys: str) -> Path:
    return write_tree(
        root,
        {
            "teams/ops/mailboxes/desk/MAILBOX.md": record("boards: [jobs]"),
            "teams/ops/workers/sums/WORKER.md": record(keys),
        },
    )


@pytest.mark.usefixtures("organization")
class TestTree:
    @pytest.fixture(autouse=True)
    def known(self, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
        settings.DEFAULT_ORGANIZATION, settings.WORKFORCE_AUTH = "default", "open"
        monkeypatch.setattr(handlers, "_HANDLERS", {"double": double, "triple": double})

    def test_load__a_handler_and_its_board(self, tmp_path: Path) -> None:
        from boards.drains.draining import drain_boards
        from boards.models import Board
        from tests.boards.ledgers import Ledger
        from workforce.dispatch.sweep import run_due

        keys = "flow: handler\nhandler: double\ndrains: [ops.desk.jobs]"
        assert load(tree(tmp_path / "tree", keys))["hired"] == ["ops.sums"]
        task = Ledger(Board.objects.get()).file(assignee="sums", input=21)
        assert drain_boards() == 1
        assert run_due() == 1
        assert Task.objects.get(pk=task.pk).output == 42

    @pytest.mark.parametrize(
        ("keys", "refusal"),
        [
            ("handler: duble", "unknown handler 'duble' (did you mean 'double'?); known: double, triple"),
            ("", "handler: is required"),
            ("handler:", "handler: "),
            ("handler: double\nmodel: x", "unknown key 'model'"),
            ("handler: double\nconcurrency: 0", "concurrency: must be at least 1"),
            ("handler: double\ndrains: [ops.desk.none]", "drains: unknown board 'ops.desk.none'"),
            ("handler: double\nboardTools: [ops.desk.jobs]", "unknown key 'boardTools'"),
        ],
    )
    def test_load__refusals(self, tmp_path: Path, keys: str, refusal: str) -> None:
        root = tree(tmp_path / "tree", f"flow: handler\n{keys}")
        report = load(root, code=1)
        assert any(refusal in found["message"] for found in report["refusals"]), report["refusals"]
        assert run("load_workforce", root).code == 1


class TestSetting:
    @pytest.mark.parametrize(
        ("declared", "words"),
        [
            (
                {"x": "tests.boards.drains.nowhere.f"},
                "'x': 'tests.boards.drains.nowhere.f' cannot be imported",
            ),
            ({"x": "tests.boards.drains.test_handlers.none"}, "cannot be imported"),
            ({"x": "tests.boards.drains.test_handlers.TOPIC"}, "cannot be called"),
            ({"": "tests.boards.drains.test_handlers.double"}, "is not a text that shows"),
        ],
    )
    def test_start__refuses_nonsense(self, settings: Any, declared: dict[str, str], words: str) -> None:
        settings.TASK_HANDLERS = declared
        with pytest.raises(ImproperlyConfigured, match=f"TASK_HANDLERS: .*{words}"):
            register_task_handlers()

    def test_start__registers(self, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(handlers, "_HANDLERS", {})
        settings.TASK_HANDLERS = {"sums": "tests.boards.drains.test_handlers.double"}
        register_task_handlers()
        assert handlers.handler_names() == ["sums"]
        assert handlers.find_handler("sums") is double
        assert handlers.find_handler(None) is None


TOPIC = "not to be called"


def test_requests__none_is_left_by_any_of_this(shift: Shift) -> None:
    shift.hire(concurrency=4)
    for number in range(8):
        shift.ledger.file(str(number))
    shift.work()
    assert not Request.objects.filter(Request.IS_UNFINISHED)
