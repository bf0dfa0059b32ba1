"""What can be done to a row, and what is refused without a trace."""

from __future__ import annotations

from typing import Any

import pytest

from boards.models import Task
from tests.boards.api.conftest import DETAIL, LISTED, Desk, done, make_board
from tests.clients import problem
from tests.conftest import Player

STATUSES = ("pending", "in_progress", "blocked", "parked", "completed", "errored", "cancelled")
ENDINGS = ("completed", "errored", "cancelled")
#: Verbs without a ticket, with a body, and the statuses from which each works.
OPEN_VERBS: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "complete": ({"output": 1}, ("in_progress", "parked")),
    "fail": ({"error": "no"}, ("in_progress", "parked")),
    "answer": ({"answer": "This."}, ("parked",)),
    "block": ({"reason": "later"}, ("pending", "blocked")),
    "unblock": ({}, ("blocked",)),
    "reclaim": ({}, ("in_progress",)),
    "cancel": ({"reason": "no"}, ("pending", "in_progress", "blocked", "parked")),
    "skip-dependents": ({}, ("errored", "cancelled")),
    "assign": ({"assignee": "robin"}, ("pending", "blocked", "parked")),
    "update": ({"patch": {"priority": 9}}, STATUSES),
    "retry": ({}, ENDINGS),
}
HOLDER_VERBS = {
    "complete": {"output": 1}, "fail": {"error": "no"}, "park": {"question": "?"}, "renew": {}, "release": {},
}  # fmt: skip
#: What a refused verb is answered with, where it is not an illegal move.
OTHER_CODES = {
    **{("cancel", ending): "terminal_task_write_declined" for ending in ENDINGS},
    **{("assign", ending): "terminal_task_write_declined" for ending in ENDINGS},
    ("assign", "in_progress"): "task_write_declined",
}


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("verb", OPEN_VERBS)
def test_verb__from_each_status(desk: Desk, unwritten: Any, verb: str, status: str) -> None:
    body, works_from = OPEN_VERBS[verb]
    task = desk.row_in(status)
    before = desk.see(task)
    if status not in works_from:
        with unwritten():
            answer = desk.do(task, verb, body)
        code = OTHER_CODES.get((verb, status), "illegal_status_transition")
        problem(answer, 409, code, task, *([] if code == "task_write_declined" else [status]))
        return
    answer = desk.do(task, verb, body)
    row = done(answer, 201 if verb == "retry" else 200)
    assert set(row) <= LISTED | {"revision"}
    assert answer["ETag"] == f'"{row["revision"]}"'
    if verb == "retry":
        assert answer["Location"] == f"{desk.path}/tasks/{row['id']}"
    elif verb == "skip-dependents":
        assert row["revision"] == before["revision"]
    else:
        assert row["revision"] == before["revision"] + 1
        after = desk.see(task)
        assert len(after["events"]) == len(before["events"]) + 1
        assert after["events"][-1]["revision"] == row["revision"]


def test_coordinator__settles_what_somebody_holds(desk: Desk, unwritten: Any) -> None:
    desk.file()
    row, ticket = desk.claim()
    done(desk.do(row["id"], "complete", {"output": "by hand"}))
    with unwritten():
        late = desk.do(row["id"], "complete", {"output": "late", "ticket": ticket})
    problem(late, 409, "lost-claim", "completed")
    assert desk.see(row["id"])["output"] == "by hand"


def test_fail__goes_back_while_attempts_are_left(desk: Desk) -> None:
    desk.file(maxAttempts=2)
    for expected in ("pending", "errored"):
        row, ticket = desk.claim()
        assert done(desk.do(row["id"], "fail", {"error": "bang", "ticket": ticket}))["status"] == expected
    assert desk.kinds(row["id"]) == ["added", "claimed", "retried", "claimed", "errored"]
    assert desk.see(row["id"])["error"] == "bang"


def test_park__waits_for_one_answer(desk: Desk, unwritten: Any) -> None:
    desk.file()
    row, ticket = desk.claim()
    done(desk.do(row["id"], "park", {"question": "Red or blue?", "ticket": ticket}))
    assert desk.see(row["id"])["feedback"] == "Red or blue?"
    assert done(desk.do(row["id"], "answer", {"answer": "Red."}))["attempts"] == 0
    with unwritten():
        problem(desk.do(row["id"], "answer", {"answer": "Blue."}), 409, "illegal_status_transition")
    taken, _ = desk.claim()
    assert (taken["id"], taken["feedback"]) == (row["id"], "Red.")


def test_complete__with_unfinished_dependencies(desk: Desk, unwritten: Any) -> None:
    dep = desk.file()["id"]
    task = desk.file(deps=[dep])["id"]
    with unwritten():
        answer = desk.do(task, "complete", {"output": 1})
    problem(answer, 409, "unfinished_dependencies", dep)


def test_assign__an_unknown_worker(desk: Desk, workers: None, unwritten: Any) -> None:
    task = desk.file(assignee="analyst")["id"]
    with unwritten():
        for verb, body in (
            ("assign", {"assignee": "Writer"}),
            ("update", {"patch": {"assignee": "nobody", "priority": 3, "addLabel": "x"}}),
        ):
            problem(desk.do(task, verb, body), 422, "unknown_assignee", "analyst, writer")
    assert done(desk.do(task, "assign", {"assignee": "writer"}))["assignee"] == "writer"


@pytest.mark.parametrize("status", ["in_progress", *ENDINGS])
def test_update__a_refused_assignee_refuses_the_whole_patch(desk: Desk, unwritten: Any, status: str) -> None:
    task = desk.row_in(status)
    code = "task_write_declined" if status == "in_progress" else "terminal_task_write_declined"
    with unwritten():
        problem(desk.do(task, "update", {"patch": {"assignee": "x", "priority": 1}}), 409, code)


def test_update__changes_what_is_sent_and_an_empty_patch_nothing(desk: Desk, unwritten: Any) -> None:
    task = desk.row_in("completed")
    patch = {"priority": 4, "metadata": {"a": 1, "b": {"c": 2}}, "addLabel": "x"}
    assert done(desk.do(task, "update", {"patch": patch}))["labels"] == ["x"]
    done(desk.do(task, "update", {"patch": {"metadata": {"b": 3}, "removeLabel": "x", "priority": None}}))
    seen = desk.see(task)
    assert (seen["metadata"], seen["labels"], "priority" in seen) == ({"a": 1, "b": 3}, [], False)
    with unwritten():
        assert done(desk.do(task, "update", {"patch": {}}))["revision"] == seen["revision"]


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("complete", {}, "output"),
    ("complete", {"output": 1, "ticket": 5}, "ticket"),
    ("complete", {"output": "x" * 262_143}, "output"),
    ("complete", {"output": 1, "status": "done"}, "status"),
    ("fail", {}, "error"),
    ("fail", {"error": " "}, "error"),
    ("fail", {"error": "a\u0000"}, "error"),
    ("answer", {"answer": ""}, "answer"),
    ("answer", {}, "answer"),
    ("assign", {"assignee": ""}, "assignee"),
    ("assign", {}, "assignee"),
    ("update", {}, "patch"),
    ("update", {"patch": {"status": "completed"}}, "patch.status"),
    ("update", {"patch": {"metadata": []}}, "patch.metadata"),
    ("update", {"patch": {"metadata": {"x": "y" * 16_384}}}, "patch.metadata"),
    ("update", {"patch": {"addLabel": "x" * 65}}, "patch.addLabel"),
    ("block", {"reason": 1}, "reason"),
    ("cancel", {"why": "x"}, "why"),
    ("unblock", {"reason": "x"}, "reason"),
    ("reclaim", {"force": True}, "force"),
    ("skip-dependents", {"x": 1}, "x"),
    ("retry", {"x": 1}, "x"),
    ("renew", {"ticket": "x", "leaseSecond": 1}, "leaseSecond"),
]


@pytest.mark.parametrize(
    ("verb", "body", "path"), BAD, ids=[f"{v}-{p}-{n}" for n, (v, _, p) in enumerate(BAD)]
)
def test_verb__bad_input_is_named(
    desk: Desk, unwritten: Any, verb: str, body: dict[str, Any], path: str
) -> None:
    task = desk.row_in("in_progress")
    with unwritten():
        answer = desk.do(task, verb, body)
    assert path in [entry["path"] for entry in problem(answer, 400, "invalid-input")["errors"]]


@pytest.mark.parametrize("verb", [*OPEN_VERBS, "park", "renew", "release"])
def test_verb__on_a_row_that_is_not_there(desk: Desk, unwritten: Any, verb: str) -> None:
    body = {"ticket": "x", **HOLDER_VERBS.get(verb, {})} if verb in HOLDER_VERBS else OPEN_VERBS[verb][0]
    elsewhere = Desk(make_board(desk.player.organization, "x.y.z"), desk.player).file()["id"]
    with unwritten():
        for task in ("task_none", elsewhere):
            problem(desk.do(task, verb, body), 404, "task_not_found", task)
    problem(desk.player.api.get(f"{desk.path}/tasks/{elsewhere}"), 404, "task_not_found")


def test_verb__that_is_none(desk: Desk, unwritten: Any) -> None:
    task = desk.file()["id"]
    with unwritten():
        problem(desk.do(task, "finish"), 404, "not-found")
        problem(desk.do(task, "Complete", {"output": 1}), 404, "not-found")
    answer = desk.player.api.get(f"{desk.path}/tasks/{task}/complete")
    problem(answer, 405, "method-not-allowed")
    assert answer["Allow"] == "POST"


def test_skip_dependents__down_the_chain(desk: Desk) -> None:
    root = desk.file()["id"]
    below = desk.file(deps=[root])["id"]
    last = desk.file(deps=[below])["id"]
    done(desk.do(root, "cancel"))
    assert done(desk.player.api.get(desk.path))["stuck"] == 1
    assert done(desk.do(root, "skip-dependents"))["id"] == root
    for task in (below, last):
        seen = desk.see(task)
        assert (seen["status"], seen["labels"]) == ("cancelled", ["skipped"])


def test_retry__files_a_new_row_and_leaves_the_old_one(desk: Desk) -> None:
    task = desk.file("Again.", labels=["a"], priority=3, input=[1], maxAttempts=1)["id"]
    _, ticket = desk.claim()
    done(desk.do(task, "fail", {"error": "no", "ticket": ticket}))
    before = desk.see(task)
    fresh = done(desk.do(task, "retry"), 201)
    assert fresh["id"] != task
    seen = desk.see(fresh["id"])
    assert (seen["retryOf"], seen["goal"], seen["input"], seen["labels"], seen["priority"]) == (
        task, "Again.", [1], ["a"], 3,
    )  # fmt: skip
    assert desk.see(task) == before


def test_retry__once_for_one_ended_row(desk: Desk, unwritten: Any) -> None:
    """A second call is answered with the row that is there, or refused with its name once that has ended."""
    task = desk.row_in("cancelled")
    fresh = done(desk.do(task, "retry"), 201)
    with unwritten():
        again = desk.do(task, "retry")
    assert done(again) == fresh
    assert again["ETag"] == '"1"' and "Location" not in again
    done(desk.do(fresh["id"], "cancel"))
    with unwritten():
        problem(
            desk.do(task, "retry"), 409, "already-retried", task, fresh["id"], "cancelled", "retry that one"
        )
    done(desk.do(fresh["id"], "retry"), 201)


def test_detail__shows_what_is_allowed_and_nothing_else(desk: Desk) -> None:
    dep = desk.row_in("completed")
    task = desk.file(
        "x", title="t", context="c", assignee="a", priority=1, maxAttempts=2, deps=[dep], input=0
    )
    _, ticket = desk.claim("wren")
    Task.objects.filter(task_id=task["id"]).update(
        run={"sessionId": "s", "requestId": "r", "attempt": 1}, author="lead", error="e", feedback="f",
        metadata={"m": 1}, output=[], retry_of=dep, completed_at=None,
    )  # fmt: skip
    answer = desk.player.api.get(f"{desk.path}/tasks/{task['id']}")
    seen = done(answer)
    assert set(seen) == DETAIL - {"completedAt"}
    assert (seen["heldBy"], seen["abandonments"], seen["authorVerified"]) == ("wren", 0, False)
    assert answer["ETag"] == f'"{seen["revision"]}"'
    assert ticket not in answer.content.decode()
    assert [event["kind"] for event in seen["events"]] == ["added", "claimed"]
    assert set(seen["events"][1]) <= {
        "kind", "at", "principal", "passname", "seat", "from", "to", "changes", "revision",
    }  # fmt: skip


def test_verb__once_with_a_key(desk: Desk) -> None:
    task = desk.file()["id"]
    first = desk.do(task, "block", {"reason": "a"}, Idempotency_Key="k")
    again = desk.do(task, "block", {"reason": "a"}, Idempotency_Key="k")
    assert (first.content, first["ETag"]) == (again.content, again["ETag"])
    assert desk.kinds(task) == ["added", "blocked"]
    # The key belongs to its path: another verb under it is another call.
    assert done(desk.do(task, "unblock", Idempotency_Key="k"))["status"] == "pending"


def test_verb__by_another_user_is_in_the_history(desk: Desk, stranger: Player) -> None:
    task = desk.file()["id"]
    done(desk.as_(stranger).do(task, "block"))
    event = desk.see(task)["events"][-1]
    assert (event["principal"], event["passname"]) == ("bob", "bob-desk")
    assert (event["from"], event["to"]) == ("pending", "blocked")
