"""Each act by POST: what it does, what it refuses, and that a stale look writes nothing."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from boards.admin.acts import ACTS, acts_for
from boards.models import BoardWorker, Task
from boards.services import settling
from boards.transitions import Status
from tests.boards.admin.conftest import board_path, press, said, task_path
from tests.boards.ledgers import ADA, Ledger, unwritten
from workforce.models import User

S = Status
DATA = {
    "assignee": "wren",
    "answer": "The blue one.",
    "error": "it broke",
    "reason": "not now",
    "output": '{"a": 1}',
}
#: Where each act leads from each status; None leaves the status. What is not here is refused.
LEADS: dict[tuple[str, Status], Status | None] = {
    ("answer", S.PARKED): S.PENDING,
    ("unblock", S.BLOCKED): S.PENDING,
    ("block", S.PENDING): S.BLOCKED,
    ("block", S.BLOCKED): None,
    ("reclaim", S.IN_PROGRESS): S.PENDING,
    ("complete", S.IN_PROGRESS): S.COMPLETED,
    ("complete", S.PARKED): S.COMPLETED,
    ("fail", S.IN_PROGRESS): S.ERRORED,
    ("fail", S.PARKED): S.ERRORED,
    **{
        (name, status): None for name in ("assign", "unassign") for status in (S.PENDING, S.BLOCKED, S.PARKED)
    },
    **{("cancel", status): S.CANCELLED for status in (S.PENDING, S.IN_PROGRESS, S.BLOCKED, S.PARKED)},
    **{("retry", status): None for status in (S.COMPLETED, S.ERRORED, S.CANCELLED)},
    **{("skip-dependents", status): None for status in (S.ERRORED, S.CANCELLED)},
}


@pytest.mark.parametrize("status", list(Status))
@pytest.mark.parametrize("name", [act.name for act in ACTS])
def test_act__works_from_its_statuses_and_is_refused_from_others(
    operator: Client, ledger: Ledger, name: str, status: Status
) -> None:
    task = ledger.row_in(status, assignee="robin")
    assert (name in [act.name for act in acts_for(task)]) == ((name, status) in LEADS)
    if (name, status) not in LEADS:
        with unwritten():
            answer = press(operator, task, name, **DATA)
        assert answer.status_code == 409
        assert answer.context["refusal"]
        assert b"does not work on a row that is" in answer.content
        return
    answer = press(operator, task, name, **DATA)
    assert (answer.status_code, answer["Location"]) == (302, task_path(task))
    assert ledger.see(task).status == (LEADS[name, status] or status)


def test_act__is_in_the_history_with_its_operator(operator: Client, ledger: Ledger) -> None:
    task = ledger.row_in(S.PARKED)
    press(operator, task, "answer", answer="The blue\r\none.")
    event = ledger.last(task)
    assert event.kind == "answered"
    user = User.objects.get(pk=operator.session["_auth_user_id"])
    assert (event.principal, event.passname, event.seat) == (user.username, "", "")
    assert ledger.see(task).feedback == "The blue\none."
    assert any("answered" in words for words in said(operator.get(task_path(task))))


@pytest.mark.parametrize("name", [act.name for act in ACTS])
def test_act__a_stale_revision_is_refused_and_shown(operator: Client, ledger: Ledger, name: str) -> None:
    status = next(status for act, status in LEADS if act == name)
    task = ledger.row_in(status, assignee="robin")
    Task.objects.filter(pk=task.pk).update(revision=task.revision + 1)
    with unwritten():
        answer = press(operator, task, name, **DATA)
    assert answer.status_code == 412
    assert "It changed meanwhile, and nothing was written" in answer.context["refusal"]
    page = answer.content.decode()
    assert f'name="revision" value="{task.revision + 1}"' in page
    assert "Last change:" in page


@pytest.mark.parametrize("revision", ["", "x", "-1", "9" * 30, "²"])
def test_act__without_a_revision_writes_nothing(operator: Client, ledger: Ledger, revision: str) -> None:
    task = ledger.file()
    with unwritten():
        answer = press(operator, task, "cancel", revision=revision)
    assert answer.status_code == 400


def test_act__what_was_typed_is_not_lost(operator: Client, ledger: Ledger) -> None:
    task = ledger.row_in(S.PARKED)
    ledger.do(settling.answer_task, task, answer="first")
    page = press(operator, task, "answer", answer="A long thought.")
    assert page.status_code == 412
    assert "A long thought." in page.content.decode()
    assert ledger.see(task).feedback == "first"


@pytest.mark.parametrize(
    ("name", "status", "data"),
    [
        ("answer", S.PARKED, {"answer": "  "}),
        ("answer", S.PARKED, {"answer": "a\x00b"}),
        ("answer", S.PARKED, {"answer": "x" * 32_769}),
        ("fail", S.IN_PROGRESS, {"error": ""}),
        ("assign", S.PENDING, {"assignee": ""}),
        ("complete", S.IN_PROGRESS, {"output": '{"a": NaN}'}),
        ("complete", S.IN_PROGRESS, {"output": '{"a": 1, "a": 2}'}),
        ("complete", S.IN_PROGRESS, {"output": '"' + "x" * 262_145 + '"'}),
    ],
)  # fmt: skip
def test_act__bad_input_writes_nothing(
    operator: Client, ledger: Ledger, name: str, status: Status, data: dict[str, Any]
) -> None:
    task = ledger.row_in(status)
    with unwritten():
        assert press(operator, task, name, **data).status_code == 400


@pytest.mark.parametrize(
    ("typed", "kept"), [("", None), ("done, see the mail", "done, see the mail"), ("5", 5), ('{"a": [1]}', {"a": [1]})]
)  # fmt: skip
def test_complete__takes_json_or_text(operator: Client, ledger: Ledger, typed: str, kept: Any) -> None:
    task = ledger.row_in(S.IN_PROGRESS)
    press(operator, task, "complete", output=typed)
    assert ledger.see(task).output == kept


def test_assign__takes_a_worker_of_the_board_only(operator: Client, ledger: Ledger) -> None:
    BoardWorker.objects.create(board=ledger.board, worker_id="support.wren", key="wren")
    task = ledger.file()
    with unwritten():
        refused = press(operator, task, "assign", assignee="Wren")
    assert refused.status_code == 422
    assert "is no worker of this board" in refused.context["refusal"]
    assert b"<option >wren</option>" in operator.get(task_path(task, "assign/")).content
    press(operator, task, "assign", assignee="wren")
    assert ledger.see(task).assignee == "wren"


def test_unassign__leaves_the_row_to_nobody(operator: Client, ledger: Ledger) -> None:
    BoardWorker.objects.create(board=ledger.board, worker_id="support.wren", key="wren")
    task, free = ledger.file(assignee="wren"), ledger.file()
    assert "unassign" not in [act.name for act in acts_for(free)]
    press(operator, task, "unassign")
    assert ledger.see(task).assignee == ""
    assert ledger.last(task).changes == {"assignee": ""}


def test_fail__is_queued_again_while_attempts_are_left(operator: Client, ledger: Ledger) -> None:
    task = ledger.row_in(S.IN_PROGRESS, max_attempts=2)
    (link,) = [
        link for link in operator.get(task_path(task)).context["card"].links if link.act.name == "fail"
    ]
    assert link.column == "queued"
    press(operator, task, "fail", error="once more")
    assert ledger.see(task).status == S.PENDING


def test_retry__files_a_new_row(operator: Client, ledger: Ledger) -> None:
    task = ledger.row_in(S.ERRORED, labels=("a",))
    press(operator, task, "retry")
    again = Task.objects.get(retry_of=task.task_id)
    assert (again.status, again.labels, again.goal) == (S.PENDING, ["a"], task.goal)
    assert task.task_id in operator.get(task_path(again)).content.decode()
    assert again.task_id in operator.get(task_path(task)).content.decode()


def test_retry__in_two_windows_files_one_row(operator: Client, ledger: Ledger) -> None:
    task = ledger.row_in(S.ERRORED)
    press(operator, task, "retry")
    again = Task.objects.get(retry_of=task.task_id)
    with unwritten():
        press(operator, task, "retry")
    assert f"it was filed again before, as {again.task_id}" in said(operator.get(task_path(task)))[-1]
    ledger.do(settling.cancel_task, again)
    with unwritten():
        refused = press(operator, task, "retry")
    assert refused.status_code == 409
    assert again.task_id in refused.context["refusal"]
    assert "retry that one (already-retried)" in refused.context["refusal"]


def test_retry__a_board_that_left_the_tree_takes_none(operator: Client, ledger: Ledger) -> None:
    task = ledger.row_in(S.ERRORED)
    ledger.board.live = False
    ledger.board.save()
    with unwritten():
        answer = press(operator, task, "retry")
        filed = operator.post(board_path(ledger, "file/"), {"goal": "Do it."})
    assert answer.status_code == filed.status_code == 422
    assert "board-not-declared" in answer.context["refusal"]


def test_skip__cancels_down_the_chain(operator: Client, ledger: Ledger) -> None:
    task = ledger.file()
    first = ledger.file(deps=(task.task_id,))
    second = ledger.file(deps=(first.task_id,))
    ledger.do(settling.cancel_task, task)
    press(operator, ledger.see(task), "skip-dependents")
    assert [ledger.see(row).labels for row in (first, second)] == [["skipped"], ["skipped"]]


def test_form__tells_of_a_change_since_the_page_was_shown(operator: Client, ledger: Ledger) -> None:
    task = ledger.file()
    path = task_path(task, f"cancel/?revision={task.revision}")
    assert b"It changed meanwhile" not in operator.get(path).content
    ledger.do(settling.block_task, task, reason="later")
    assert b"It changed meanwhile" in operator.get(path).content
    assert ADA.passname.encode() in operator.get(path).content
