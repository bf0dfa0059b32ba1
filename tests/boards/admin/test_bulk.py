"""One act on many rows: each for itself, each refusal in words."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from boards.admin.bulk import MOST, TOLD
from boards.models import Task
from boards.services import settling
from boards.transitions import Status
from tests.boards.admin.conftest import board_path, said
from tests.boards.ledgers import Ledger, unwritten
from tests.workforce.admin.conftest import World


def press_all(client: Client, ledger: Ledger, name: str, tasks: list[Task], **data: Any) -> list[str]:
    """Press, and return what is said on the page shown next."""
    rows = [f"{task.pk}:{task.revision}" for task in tasks]
    path = board_path(ledger)
    answer = client.post(board_path(ledger, "bulk/"), {"act": name, "row": rows, "back": path, **data})
    assert (answer.status_code, answer["Location"]) == (302, path)
    return said(client.get(path))


def test_bulk__does_what_it_can_and_says_what_it_could_not(operator: Client, ledger: Ledger) -> None:
    ended, moved = ledger.row_in(Status.COMPLETED, title="Ended"), ledger.file(title="Moved")
    good = [ledger.file(), ledger.file()]
    ledger.do(settling.block_task, moved, reason="later")
    told = press_all(operator, ledger, "cancel", [*good, ended, moved], reason="enough")
    assert told[0] == "Cancel: done to 2 rows."
    assert "“Ended”" in told[1] and "terminal_task_write_declined" in told[1]
    assert "“Moved”: It changed meanwhile" in told[2]
    assert {(row.status, row.error) for row in map(ledger.see, good)} == {(Status.CANCELLED, "enough")}
    assert ledger.see(moved).status == Status.BLOCKED


@pytest.mark.parametrize(
    ("name", "status", "after"),
    [
        ("reclaim", Status.IN_PROGRESS, Status.PENDING),
        ("unblock", Status.BLOCKED, Status.PENDING),
        ("block", Status.PENDING, Status.BLOCKED),
        ("retry", Status.ERRORED, Status.ERRORED),
        ("skip-dependents", Status.ERRORED, Status.ERRORED),
        ("assign", Status.PENDING, Status.PENDING),
        ("unassign", Status.PENDING, Status.PENDING),
    ],
)
def test_bulk__each_act(operator: Client, ledger: Ledger, name: str, status: Status, after: Status) -> None:
    task = ledger.row_in(status, assignee="robin")
    (told,) = press_all(operator, ledger, name, [task], assignee="wren")
    assert told.endswith("done to 1 row.")
    assert ledger.see(task).status == after


def test_bulk__what_makes_no_sense_does_nothing(operator: Client, ledger: Ledger) -> None:
    task = ledger.file()
    many = [f"{number}:1" for number in range(MOST + 1)]
    with unwritten():
        assert "Choose some rows" in press_all(operator, ledger, "cancel", [])[0]
        assert "Choose what to do" in press_all(operator, ledger, "complete", [task])[0]
        assert "blank" in press_all(operator, ledger, "assign", [task], assignee="")[0]
        assert f"at most {MOST}" in press_all(operator, ledger, "cancel", [task], row=many)[0]
        for row in ("x", f"{task.pk}", f"{task.pk}:", ":1", "9" * 40 + ":1"):
            assert "revision" in press_all(operator, ledger, "cancel", [], row=[row])[0]


def test_bulk__touches_no_row_of_another_board(operator: Client, ledger: Ledger, elsewhere: World) -> None:
    with unwritten():
        told = press_all(operator, ledger, "cancel", [elsewhere.rows["boards.task"]])
    assert told == ["A row that was chosen is not on this board."]


def test_bulk__tells_of_so_many_refusals_and_counts_the_rest(operator: Client, ledger: Ledger) -> None:
    done = [ledger.row_in(Status.CANCELLED) for _ in range(TOLD + 3)]
    told = press_all(operator, ledger, "unblock", done)
    assert len(told) == TOLD + 1
    assert told[-1] == "3 more were refused."
