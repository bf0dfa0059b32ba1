"""The boards of an organization."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest

from tests.boards.api.conftest import Desk, done, make_board
from tests.boards.ledgers import staff_board
from tests.clients import problem
from tests.conftest import Player

KEYS = {
    "id",
    "mailboxId",
    "name",
    "live",
    "attended",
    "counts",
    "stuck",
    "orphaned",
    "oldestReadyAt",
    "oldestHeldAt",
}
NONE = dict.fromkeys(("pending", "in_progress", "blocked", "parked", "completed", "errored", "cancelled"), 0)


def test_list__says_how_many_rows_stand_where(desk: Desk, outsider: Player) -> None:
    make_board(outsider.organization, "far.away.work")
    empty = make_board(desk.player.organization, "a.b.empty", live=False)
    staff_board(desk.board, "engineering.analyst")
    desk.row_in("in_progress")
    desk.row_in("completed")
    failed = desk.row_in("cancelled")
    first = desk.file()
    desk.file(deps=[failed])
    body = done(desk.player.api.get("/api/boards"))
    assert set(body) == {"items"}
    bare, full = body["items"]
    assert bare == {
        "id": empty.board_id, "mailboxId": "a.b", "name": "empty", "live": False, "attended": False,
        "counts": NONE, "stuck": 0, "orphaned": 0, "oldestReadyAt": None, "oldestHeldAt": None,
    }  # fmt: skip
    assert set(full) == KEYS
    assert full["counts"] == {**NONE, "pending": 2, "in_progress": 1, "completed": 1, "cancelled": 1}
    assert full["orphaned"] == 0
    assert (full["stuck"], full["attended"], full["oldestReadyAt"]) == (1, True, first["createdAt"])
    assert done(desk.player.api.get(desk.path)) == full


def test_list__in_pages_by_id(desk: Desk) -> None:
    for name in "cab":
        make_board(desk.player.organization, f"team.box.{name}")
    seen, cursor = [], ""
    while True:
        body = done(desk.player.api.get(f"/api/boards?limit=3{cursor}"))
        seen += [board["id"] for board in body["items"]]
        if "nextCursor" not in body:
            break
        cursor = f"&cursor={body['nextCursor']}"
    assert seen == ["engineering.desk.work", "team.box.a", "team.box.b", "team.box.c"]


def test_list__costs_the_same_for_many_boards(desk: Desk, django_assert_num_queries: Any) -> None:
    desk.row_in("in_progress")
    for number in range(20):
        make_board(desk.player.organization, f"team.box.n{number}")
    desk.player.api.get("/api/boards")
    with django_assert_num_queries(7):  # the key, the boards, and five figures
        desk.player.api.get("/api/boards")


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "q=x", "cursor=x", "ordering=id"])
def test_list__a_bad_query(desk: Desk, query: str) -> None:
    assert desk.player.api.get(f"/api/boards?{query}").status_code == 400


def every_call(desk: Desk, board_id: str, task: str) -> list[Any]:
    path, api = f"/api/boards/{board_id}", desk.player.api
    return [
        api.get(path),
        api.get(f"{path}/tasks"),
        api.post(f"{path}/tasks", {"goal": "x"}),
        api.get(f"{path}/tasks/{task}"),
        api.post(f"{path}/claim?wait=1", {"worker": "x"}),
        api.post(f"{path}/tasks/{task}/cancel", {}),
        api.post(f"{path}/tasks/{task}/retry", {}),
    ]


def test_board__of_another_organization_is_like_an_unknown_one(
    desk: Desk, outsider: Player, unwritten: Any
) -> None:
    far = Desk(make_board(outsider.organization, "far.away.work"), outsider)
    task = far.file()["id"]
    with unwritten():
        theirs = every_call(desk, "far.away.work", task)
        unknown = every_call(desk, "far.away.none", task)
    for there, nowhere in zip(theirs, unknown, strict=True):
        problem(there, 404, "not-found")
        assert there.content.replace(b"far.away.work", b"far.away.none") == nowhere.content


def test_board__of_a_conversation_is_not_under_this_path(desk: Desk, unwritten: Any) -> None:
    own = Desk(make_board(desk.player.organization, "talk.tasks"), desk.player)
    task = own.file()["id"]
    own.board.mailbox_id = ""
    own.board.save()
    with unwritten():
        theirs = every_call(desk, "talk.tasks", task)
    assert [answer.status_code for answer in theirs] == [404] * len(theirs)
    assert json.loads(theirs[0].content)["code"] == "not-found"
    assert "talk.tasks" not in [board["id"] for board in desk.player.api.get("/api/boards").json()["items"]]


@pytest.mark.parametrize("name", ["tri age", "größe", "50%", "a?b", "a#b", "~x", "a;b"])
def test_board__whose_name_has_other_letters(desk: Desk, name: str) -> None:
    strange = make_board(desk.player.organization, f"team.box.{name}")
    path = f"/api/boards/{quote(strange.board_id, safe='')}"
    assert done(desk.player.api.get(path))["name"] == name
    filed = desk.player.api.post(f"{path}/tasks", {"goal": "x"})
    done(filed, 201)
    assert done(desk.player.api.get(filed["Location"]))["goal"] == "x"


@pytest.mark.parametrize("board_id", ["x" * 201, "a%2Fb", "%00", "..", "%FF"])
def test_board__that_cannot_be(desk: Desk, board_id: str) -> None:
    assert desk.player.api.get(f"/api/boards/{board_id}").status_code in (400, 404)


def test_paths__with_and_without_a_slash(desk: Desk) -> None:
    task = desk.file()["id"]
    for path in ("/api/boards", desk.path, f"{desk.path}/tasks", f"{desk.path}/tasks/{task}"):
        assert desk.player.api.get(path).content == desk.player.api.get(f"{path}/").content
    done(desk.player.api.post(f"{desk.path}/claim/?wait=0", {"worker": "wren"}))
