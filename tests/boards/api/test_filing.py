"""Filing a row over REST: the checks of ``fileTask``, and nothing written when one fails."""

from __future__ import annotations

from typing import Any

import pytest

from boards.models import Task, TaskEvent
from mailboxes.models import Declaration
from mailboxes.services.marking import mark_templates
from tests.boards.api.conftest import DETAIL, LISTED, Desk, done
from tests.clients import problem
from tests.conftest import Mailbox, Player
from workforce.models import Session


def filed(desk: Desk, **body: Any) -> Any:
    return desk.player.api.post(f"{desk.path}/tasks", {"goal": "x", **body})


def test_file__answers_the_row_and_where_it_is(desk: Desk) -> None:
    answer = filed(desk, title="T", labels=["b", "a"], priority=1.5)
    body = done(answer, 201)
    assert set(body) <= LISTED | {"revision"}
    assert (body["status"], body["revision"], body["attempts"]) == ("pending", 1, 0)
    assert (body["labels"], body["deps"], body["priority"]) == (["b", "a"], [], 1.5)
    assert body["id"].startswith("task_")
    assert answer["ETag"] == '"1"'
    assert answer["Location"] == f"{desk.path}/tasks/{body['id']}"
    assert done(desk.player.api.get(answer["Location"]))["id"] == body["id"]


def test_file__keeps_everything(desk: Desk) -> None:
    dep = desk.file()["id"]
    value = {"π": [1, 1.0, True, None, "\u0000", 10**40, {"b": 1, "a": 2}]}
    task = desk.file(
        "Do this.", title="T", context="C", assignee="anyone", priority=-2, maxAttempts=4, labels=["l"],
        deps=[dep], input=value,
    )["id"]  # fmt: skip
    seen = desk.see(task)
    assert set(seen) <= DETAIL
    assert seen["input"] == value
    assert list(seen["input"]["π"][-1]) == ["b", "a"]
    expected = {
        "goal": "Do this.", "title": "T", "context": "C", "assignee": "anyone", "priority": -2,
        "maxAttempts": 4, "labels": ["l"], "deps": [dep], "createdBy": "ada", "abandonments": 0,
    }  # fmt: skip
    assert {name: seen[name] for name in expected} == expected
    (event,) = seen["events"]
    assert (event["kind"], event["to"], event["revision"]) == ("added", "pending", 1)
    assert (event["principal"], event["passname"]) == ("ada", "ada-desk")


BAD: list[tuple[dict[str, Any], str]] = [
    ({"goal": ""}, "goal"),
    ({"goal": " \n"}, "goal"),
    ({"goal": None}, "goal"),
    ({"goal": "x" * 32_769}, "goal"),
    ({"goal": "a\u0000b"}, "goal"),
    ({"goal": 5}, "goal"),
    ({"title": "x" * 201}, "title"),
    ({"context": "x" * 65_537}, "context"),
    ({"context": "\u0000"}, "context"),
    ({"assignee": " "}, "assignee"),
    ({"assignee": 1}, "assignee"),
    ({"priority": "high"}, "priority"),
    ({"priority": True}, "priority"),
    ({"priority": 1e300}, "priority"),
    ({"maxAttempts": 0}, "maxAttempts"),
    ({"maxAttempts": 1.5}, "maxAttempts"),
    ({"maxAttempts": 10**30}, "maxAttempts"),
    ({"labels": "a"}, "labels"),
    ({"labels": [""]}, "labels.0"),
    ({"labels": ["x" * 65]}, "labels.0"),
    ({"labels": [f"l{n}" for n in range(51)]}, "labels"),
    ({"deps": [1]}, "deps.0"),
    ({"input": "x" * 262_143}, "input"),
    ({"status": "completed"}, "status"),
    ({"id": "task_mine"}, "id"),
    ({"board": "engineering.desk.work"}, "board"),
    ({"claimedBy": "me"}, "claimedBy"),
    ({"max_attempts": 3}, "max_attempts"),
]


@pytest.mark.parametrize(("body", "path"), BAD, ids=[f"{path}-{n}" for n, (_, path) in enumerate(BAD)])
def test_file__bad_input_is_named(desk: Desk, unwritten: Any, body: dict[str, Any], path: str) -> None:
    with unwritten():
        answer = filed(desk, **body)
    assert path in [entry["path"] for entry in problem(answer, 400, "invalid-input")["errors"]]


def test_file__sizes_are_told_with_the_figure(desk: Desk, unwritten: Any) -> None:
    with unwritten():
        answer = filed(desk, input="x" * 262_143)
    problem(answer, 400, "invalid-input", "262145", "262144")
    done(filed(desk, input="x" * 262_142), 201)


def test_file__an_assignee_that_no_worker_has(desk: Desk, workers: None, unwritten: Any) -> None:
    with unwritten():
        answer = filed(desk, assignee="Analyst")
    problem(answer, 422, "unknown_assignee", "'Analyst'", "analyst", "writer")
    done(filed(desk, assignee="analyst"), 201)
    done(filed(desk), 201)


def test_file__a_dependency_of_another_board(desk: Desk, unwritten: Any) -> None:
    dep = desk.file()["id"]
    with unwritten():
        answer = filed(desk, deps=[dep, "task_none"])
    problem(answer, 422, "unknown_dependency", "task_none")


@pytest.fixture
def members(mailbox: Mailbox) -> Session:
    """The mailbox that holds the board, with one member."""
    return mailbox("engineering.desk", members=["engineering.lead"])


def test_file__in_the_name_of_a_member(desk: Desk, members: Session) -> None:
    task = done(filed(desk, author="engineering.lead"), 201)["id"]
    seen = desk.see(task)
    assert (seen["author"], seen["authorVerified"]) == ("engineering.lead", False)


@pytest.mark.parametrize("author", ["nobody", "engineering.Lead", ""])
def test_file__an_author_that_is_no_member(
    desk: Desk, members: Session, workers: None, unwritten: Any, author: str
) -> None:
    with unwritten():
        answer = filed(desk, author=author, assignee="nobody", deps=["none"])
    problem(answer, 422, "author-not-a-member", f"'{author}'", "engineering.lead")


def test_file__on_a_board_that_left_the_tree(desk: Desk, members: Session, unwritten: Any) -> None:
    """Its rows stay and can be finished; no new one comes, not even as a retry."""
    ended, open_row = desk.row_in("cancelled"), desk.file()["id"]
    desk.board.live = False
    desk.board.save()
    with unwritten():
        for answer in (filed(desk, author="nobody"), desk.do(ended, "retry")):
            problem(answer, 422, "board-not-declared", "work")
    assert desk.claim()[0]["id"] == open_row


def test_file__in_a_mailbox_that_is_not_open(desk: Desk, members: Session, unwritten: Any) -> None:
    members.state = {}
    members.save()
    with unwritten():
        problem(filed(desk), 409, "mailbox-not-bound")


def test_file__in_a_mailbox_that_a_load_made_a_template(desk: Desk, members: Session, unwritten: Any) -> None:
    """As the action ``fileTask`` and before all other checks; what is on the board can be finished."""
    ended, open_row = desk.row_in("cancelled"), desk.file()["id"]
    Declaration.objects.create(
        organization=desk.player.organization, mailbox_id="engineering.desk", kind="mailbox", is_template=True
    )
    mark_templates(organization=desk.player.organization, mailbox_ids=["engineering.desk"])
    desk.board.live = False
    desk.board.save()
    with unwritten():
        for answer in (filed(desk), filed(desk, author="nobody"), desk.do(ended, "retry")):
            problem(answer, 409, "mailbox-is-a-template", "engineering.desk")
    assert desk.claim()[0]["id"] == open_row


def test_file__a_member_who_left_does_not_hinder_a_retry(desk: Desk, members: Session) -> None:
    task = done(filed(desk, author="engineering.lead"), 201)["id"]
    done(desk.do(task, "cancel"))
    members.state = {**members.state, "members": []}
    members.save()
    fresh = done(desk.do(task, "retry"), 201)["id"]
    assert desk.see(fresh)["author"] == "engineering.lead"


def test_file__the_assignee_is_judged_before_the_deps(desk: Desk, workers: None, unwritten: Any) -> None:
    with unwritten():
        answer = filed(desk, assignee="nobody", deps=["none"])
    problem(answer, 422, "unknown_assignee")


def test_file__once_with_a_key(desk: Desk) -> None:
    answers = [
        desk.player.api.post(f"{desk.path}/tasks", {"goal": "x"}, Idempotency_Key="k") for _ in range(3)
    ]
    assert len({(answer.content, answer["ETag"], answer["Location"]) for answer in answers}) == 1
    assert [answer.status_code for answer in answers] == [201] * 3
    assert (Task.objects.count(), TaskEvent.objects.count()) == (1, 1)
    other = desk.player.api.post(f"{desk.path}/tasks", {"goal": "y"}, Idempotency_Key="k")
    problem(other, 409, "idempotency-key-reused")
    assert Task.objects.count() == 1


def test_file__a_refusal_is_repeated_with_its_key(desk: Desk, workers: None) -> None:
    body = {"goal": "x", "assignee": "nobody"}
    answers = [desk.player.api.post(f"{desk.path}/tasks", body, Idempotency_Key="k") for _ in range(2)]
    assert answers[0].content == answers[1].content
    problem(answers[1], 422, "unknown_assignee")
    assert not Task.objects.exists()


def test_file__takes_no_if_match(desk: Desk, unwritten: Any) -> None:
    with unwritten():
        answer = desk.player.api.post(f"{desk.path}/tasks", {"goal": "x"}, If_Match='"1"')
    problem(answer, 400, "invalid-input", "If-Match")


def test_file__by_another_user_of_the_organization(desk: Desk, stranger: Player) -> None:
    task = desk.as_(stranger).file()["id"]
    assert desk.see(task)["createdBy"] == "bob"
