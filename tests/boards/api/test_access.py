"""Who may look at boards and who may work them."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings as django_settings
from django.http import HttpResponse
from django.test import Client

from tests.boards.api.conftest import Desk, done, make_board
from tests.clients import Api, problem
from tests.conftest import Player, make_player
from tests.factories import make_organization, make_user
from workforce.models import Grant, Membership
from workforce.services.organizations import ensure_membership

TOKEN = "a" * 32


def reads(desk: Desk, task: str) -> list[str]:
    return ["/api/boards", desk.path, f"{desk.path}/tasks", f"{desk.path}/tasks/{task}"]


def writes(desk: Desk, task: str) -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{desk.path}/tasks", {"goal": "x"}),
        (f"{desk.path}/claim?wait=30", {"worker": "wren"}),
        (f"{desk.path}/tasks/{task}/block", {}),
        (f"{desk.path}/tasks/{task}/complete", {"output": 1, "ticket": "x"}),
        (f"{desk.path}/tasks/{task}/retry", {}),
    ]


def test_key__without_the_grant_is_told_which(desk: Desk, unwritten: Any) -> None:
    task = desk.row_in("cancelled")
    others = [grant for grant in Grant.values if not grant.startswith("boards")]
    none = make_player(desk.player.user, desk.player.organization, "other", *others).api
    reader = make_player(desk.player.user, desk.player.organization, "reader", Grant.BOARDS_READ).api
    writer = make_player(desk.player.user, desk.player.organization, "writer", Grant.BOARDS_WRITE).api
    with unwritten():
        for path in reads(desk, task):
            problem(none.get(path), 403, "not-granted", "boards:read")
            problem(writer.get(path), 403, "not-granted", "boards:read")
            done(reader.get(path))
        for path, body in writes(desk, task):
            problem(none.post(path, body), 403, "not-granted", "boards:write")
            problem(reader.post(path, body), 403, "not-granted", "boards:write")
    done(writer.post(f"{desk.path}/tasks/{task}/retry", {}), 201)


def test_key__that_is_none(desk: Desk, unwritten: Any) -> None:
    task = desk.row_in("cancelled")
    with unwritten():
        for path in reads(desk, task):
            problem(Api().get(path), 401, "unauthenticated")
        for path, body in writes(desk, task):
            problem(Api().post(path, body), 401, "unauthenticated")


def test_key__of_any_user_of_the_organization(desk: Desk, stranger: Player) -> None:
    task = desk.file()["id"]
    theirs = desk.as_(stranger)
    assert theirs.see(task)["id"] == task
    assert theirs.claim("bob")[0]["id"] == task


class Browser:
    """A user at a browser, with a CSRF token."""

    def __init__(self, desk: Desk, role: str | None, **fields: Any) -> None:
        self.user = make_user(f"user-{role}", **fields)
        if role is not None:
            ensure_membership(
                user=self.user, organization=desk.player.organization, role=Membership.Role(role)
            )
        self.client = Client(enforce_csrf_checks=True)
        self.client.force_login(self.user)
        self.client.cookies["csrftoken"] = TOKEN

    def post(self, path: str, body: Any, **headers: str) -> HttpResponse:
        return self.client.post(
            path, body, content_type="application/json", headers={"X-CSRFToken": TOKEN, **headers}
        )


@pytest.mark.parametrize("role", ["owner", "operator"])
def test_session__of_an_operator_works_boards(desk: Desk, role: str) -> None:
    browser = Browser(desk, role)
    task = done(browser.post(f"{desk.path}/tasks", {"goal": "x"}), 201)["id"]
    done(browser.post(f"{desk.path}/tasks/{task}/block", {}))
    seen = desk.see(task)
    assert seen["createdBy"] == browser.user.username
    assert "passname" not in seen["events"][0]


def test_session__of_a_superuser_works_boards(desk: Desk) -> None:
    browser = Browser(desk, "member", is_superuser=True)
    done(browser.post(f"{desk.path}/tasks", {"goal": "x"}), 201)


def test_session__of_a_member_only_looks(desk: Desk, unwritten: Any) -> None:
    task = desk.row_in("cancelled")
    browser = Browser(desk, "member")
    with unwritten():
        for path in reads(desk, task):
            done(browser.client.get(path))
        for path, body in writes(desk, task):
            problem(browser.post(path, body), 403, "not-allowed", "operator", desk.player.organization.slug)


def test_session__of_a_member_cannot_find_boards_by_writing(desk: Desk) -> None:
    browser = Browser(desk, "member")
    there = browser.post(f"{desk.path}/tasks", {"goal": "x"})
    nowhere = browser.post("/api/boards/none.at.all/tasks", {"goal": "x"})
    assert there.content == nowhere.content


def test_session__the_role_is_that_of_the_chosen_organization(desk: Desk, unwritten: Any) -> None:
    browser = Browser(desk, "member")
    elsewhere = make_organization("second")
    ensure_membership(user=browser.user, organization=elsewhere, role=Membership.Role.OWNER)
    make_board(elsewhere, "far.away.work")
    with unwritten():
        problem(browser.post(f"{desk.path}/tasks", {"goal": "x"}), 403, "not-allowed")
        problem(
            browser.post(f"{desk.path}/tasks", {"goal": "x"}, **{"X-Organization": "second"}),
            404,
            "not-found",
        )
    path = "/api/boards/far.away.work/tasks"
    done(browser.post(path, {"goal": "x"}, **{"X-Organization": "second"}), 201)


def test_session__needs_its_token(desk: Desk, unwritten: Any) -> None:
    browser = Browser(desk, "owner")
    with unwritten():
        answer = browser.client.post(f"{desk.path}/tasks", {"goal": "x"}, content_type="application/json")
    problem(answer, 403, "not-allowed")


def test_open_mode__works_boards(desk: Desk, settings: Any) -> None:
    settings.WORKFORCE_AUTH = "open"
    open_board = make_board(make_organization(django_settings.DEFAULT_ORGANIZATION), "a.b.c")
    path = f"/api/boards/{open_board.board_id}"
    task = done(Api().post(f"{path}/tasks", {"goal": "x", "userId": "kim"}), 201)["id"]
    assert done(Api().get(f"{path}/tasks/{task}"))["createdBy"] == "kim"
    assert Api().get(desk.path).status_code == 404
