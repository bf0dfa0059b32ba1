"""The eight tools: answers are values, and a worker settles only the row it holds."""

from __future__ import annotations

from typing import Any

import pytest

from boards.models import Board, BoardWorker, Task
from boards.toolnames import BOARD_TOOLS
from boards.tools.inputs import INPUTS
from boards.tools.running import run_tool
from boards.transitions import Status
from tests.boards.ledgers import ADA, Ledger, unwritten
from workforce.errors import InvalidCursor, InvalidInput
from workforce.inputs import validate_input


def run(ledger: Ledger, tool: str, ticket: str | None = None, **value: Any) -> dict[str, Any]:
    checked = validate_input(INPUTS[tool], value)
    return run_tool(
        tool=tool, board=Board.objects.get(pk=ledger.board.pk), by=ADA, value=checked, ticket=ticket
    )


#: What each tool is called with, beside the row's id.
SETTLING: dict[str, dict[str, Any]] = {
    "completeTask": {"output": 1}, "failTask": {"error": "no"}, "blockTask": {}, "cancelTask": {},
}  # fmt: skip
ON_A_ROW = {**SETTLING, "assignTask": {"assignee": "wren"}, "updateTask": {"patch": {"priority": 1}}}
WORKS = {
    "completeTask": {"in_progress", "parked"},
    "failTask": {"in_progress", "parked"},
    "blockTask": {"pending", "blocked"},
    "cancelTask": {"pending", "in_progress", "blocked", "parked"},
    "assignTask": {"pending", "blocked", "parked"},
    "updateTask": set(map(str, Status)),
}


def refused(ledger: Ledger, code: str, tool: str, ticket: str | None = None, **value: Any) -> str:
    """The sentence of a refusal that must be this one and write nothing."""
    with unwritten():
        answer = run(ledger, tool, ticket, **value)
    assert answer["ok"] is False
    found, _, sentence = answer["error"].partition(": ")
    assert found == code, answer
    assert answer.get("taskId") == value.get("taskId")
    return str(sentence)


def test_inputs__there_is_one_for_each_tool() -> None:
    assert tuple(INPUTS) == BOARD_TOOLS


def test_add__files_a_row(ledger: Ledger) -> None:
    dep = ledger.file()
    answer = run(
        ledger,
        "addTask",
        goal="Mend it.",
        assignee="wren",
        deps=[dep.task_id],
        priority=2,
        input=[1],
        metadata={"a": 1},
    )
    task = Task.objects.get(task_id=answer["taskId"])
    assert answer == {"ok": True, "taskId": task.task_id}
    assert (task.goal, task.assignee, task.priority, task.input, task.metadata) == (
        "Mend it.",
        "wren",
        2,
        [1],
        {"a": 1},
    )
    assert (task.unmet, task.created_by) == (1, "ada")


def test_add__refusals_are_answers(ledger: Ledger) -> None:
    BoardWorker.objects.create(board=ledger.board, worker_id="x.wren", key="wren")
    words = refused(ledger, "unknown_assignee", "addTask", goal="x", assignee="robin", deps=["task_x"])
    assert "'robin'" in words
    assert "wren" in words
    assert "task_x" in refused(ledger, "unknown_dependency", "addTask", goal="x", deps=["task_x"])


@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("tool", ON_A_ROW)
def test_tool__on_a_row_in_each_status(ledger: Ledger, tool: str, status: Status) -> None:
    task = ledger.row_in(status)
    arguments = {"taskId": task.task_id, **ON_A_ROW[tool]}
    if status in WORKS[tool]:
        assert run(ledger, tool, **arguments) == {"ok": True}
        return
    code = "illegal_status_transition"
    if tool in ("assignTask", "cancelTask"):
        code = "task_write_declined" if status is Status.IN_PROGRESS else "terminal_task_write_declined"
    assert task.task_id in refused(ledger, code, tool, **arguments)


@pytest.mark.parametrize("tool", ON_A_ROW)
def test_tool__an_unknown_row(ledger: Ledger, tool: str) -> None:
    BoardWorker.objects.create(board=ledger.board, worker_id="x.robin", key="robin")
    refused(ledger, "task_not_found", tool, taskId="task_nope", **ON_A_ROW[tool])
    _, ticket = ledger.row_in(Status.IN_PROGRESS), None
    refused(ledger, "task_not_found", tool, ticket, taskId="task_nope", **ON_A_ROW[tool])


def test_complete__unfinished_deps(ledger: Ledger) -> None:
    dep = ledger.file()
    task = ledger.file(deps=(dep.task_id,))
    assert dep.task_id in refused(
        ledger, "unfinished_dependencies", "completeTask", taskId=task.task_id, output=1
    )


def test_update__an_empty_patch_is_ok(ledger: Ledger) -> None:
    task = ledger.row_in(Status.COMPLETED)
    with unwritten():
        assert run(ledger, "updateTask", taskId=task.task_id, patch={}) == {"ok": True}


def test_update__every_part_of_a_patch(ledger: Ledger) -> None:
    task = ledger.file(labels=("a",), priority=1)
    patch = {"priority": None, "metadata": {"k": 1}, "assignee": "wren", "addLabel": "b", "removeLabel": "a"}
    assert run(ledger, "updateTask", taskId=task.task_id, patch=patch) == {"ok": True}
    task = ledger.see(task)
    assert (task.priority, task.metadata, task.assignee, task.labels) == (None, {"k": 1}, "wren", ["b"])


def test_update__what_is_too_large_is_invalid_input(ledger: Ledger) -> None:
    task = ledger.file(labels=tuple(f"l{n}" for n in range(50)))
    with unwritten(), pytest.raises(InvalidInput):
        run(ledger, "updateTask", taskId=task.task_id, patch={"addLabel": "x"})


@pytest.mark.parametrize("tool", SETTLING)
def test_ticket__a_worker_settles_only_the_row_it_holds(ledger: Ledger, tool: str) -> None:
    ledger.file("held")
    held, ticket = ledger.take()
    other = ledger.file("other")
    words = refused(ledger, "task_write_declined", tool, ticket, taskId=other.task_id, **SETTLING[tool])
    assert f"'{held.task_id}'" in words
    refused(ledger, "task_not_found", tool, ticket, taskId="task_nope", **SETTLING[tool])
    if tool == "blockTask":
        refused(ledger, "illegal_status_transition", tool, ticket, taskId=held.task_id)
        return
    assert run(ledger, tool, ticket, taskId=held.task_id, **SETTLING[tool]) == {"ok": True}
    with unwritten():  # a lost answer is asked for again
        assert run(ledger, tool, ticket, taskId=held.task_id, **SETTLING[tool]) == {"ok": True}


@pytest.mark.parametrize("tool", ["completeTask", "failTask", "cancelTask"])
def test_ticket__that_lost_the_row(ledger: Ledger, tool: str) -> None:
    ledger.file(max_attempts=5)
    task, ticket = ledger.take()
    run(ledger, "failTask", taskId=task.task_id, error="a coordinator's")
    ledger.take("robin")
    refused(ledger, "lost-claim", tool, ticket, taskId=task.task_id, **SETTLING[tool])


def test_ticket__others_rows_may_be_filed_routed_and_listed(ledger: Ledger) -> None:
    ledger.file()
    _, ticket = ledger.take()
    other = ledger.file()
    assert run(ledger, "assignTask", ticket, taskId=other.task_id, assignee="robin")["ok"]
    assert run(ledger, "updateTask", ticket, taskId=other.task_id, patch={"priority": 3})["ok"]
    assert run(ledger, "addTask", ticket, goal="more")["ok"]
    assert len(run(ledger, "listTasks", ticket)["tasks"]) == 3


def test_list__newest_first_by_status_and_assignee(ledger: Ledger) -> None:
    done = ledger.row_in(Status.COMPLETED, assignee="wren")
    first, second = ledger.file("first", assignee="wren"), ledger.file("second")
    listed = run(ledger, "listTasks")
    assert [row["id"] for row in listed["tasks"]] == [second.task_id, first.task_id, done.task_id]
    assert listed["tasks"][0] == {"id": second.task_id, "goal": "second", "status": "pending", "attempts": 0}
    assert "nextCursor" not in listed
    found = run(ledger, "listTasks", status="pending", assignee="wren")["tasks"]
    assert found == [
        {"id": first.task_id, "goal": "first", "status": "pending", "assignee": "wren", "attempts": 0}
    ]


def test_list__pages(ledger: Ledger, moment: object) -> None:
    filed = [ledger.file(str(number)).task_id for number in range(5)]  # all of one moment
    seen: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(3):
        page = run(ledger, "listTasks", limit=2, **cursor)
        seen += [row["id"] for row in page["tasks"]]
        cursor = {"cursor": page.get("nextCursor", "")}
    assert seen == filed[::-1]
    assert cursor == {"cursor": ""}
    with pytest.raises(InvalidCursor):
        run(ledger, "listTasks", cursor="damaged")


@pytest.mark.parametrize(
    ("tool", "value", "path"),
    [
        ("addTask", {}, "goal"),
        ("addTask", {"goal": " \n"}, "goal"),
        ("addTask", {"goal": "x" * 32_769}, "goal"),
        ("addTask", {"goal": "x\x00"}, "goal"),
        ("addTask", {"goal": "x", "id": "task_mine"}, "id"),
        ("addTask", {"goal": "x", "priority": "high"}, "priority"),
        ("addTask", {"goal": "x", "priority": float("nan")}, "priority"),
        ("addTask", {"goal": "x", "priority": True}, "priority"),
        ("addTask", {"goal": "x", "input": {"a": [1, float("inf")]}}, "input"),
        ("addTask", {"goal": "x", "metadata": []}, "metadata"),
        ("addTask", {"goal": "x", "metadata": {"a": "x" * 16_384}}, "metadata"),
        ("addTask", {"goal": "x", "deps": "task_a"}, "deps"),
        ("addTask", {"goal": "x", "assignee": ""}, "assignee"),
        ("assignTask", {"taskId": "task_a"}, "assignee"),
        ("updateTask", {"taskId": "task_a", "patch": {"status": "completed"}}, "patch.status"),
        ("updateTask", {"taskId": "task_a", "patch": {"addLabel": "x" * 65}}, "patch.addLabel"),
        ("listTasks", {"status": "done"}, "status"),
        ("listTasks", {"limit": 201}, "limit"),
        ("listTasks", {"limit": 0}, "limit"),
        ("completeTask", {"taskId": "task_a"}, "output"),
        ("completeTask", {"taskId": "task_a", "output": "x" * 262_144}, "output"),
        ("failTask", {"taskId": "task_a", "error": ""}, "error"),
        ("blockTask", {"taskId": ""}, "taskId"),
        ("cancelTask", {"taskId": "task_a", "reason": 3}, "reason"),
    ],
)
def test_inputs__what_they_refuse(tool: str, value: dict[str, Any], path: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        validate_input(INPUTS[tool], value)
    assert [error["path"] for error in refusal.value.data["errors"]] == [path]
