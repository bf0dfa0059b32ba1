"""Lists of rows: filters, orders, pages, and what they show."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from boards.models import Task
from tests.boards.api.conftest import LISTED, LONG_AGO, Desk, done, make_board
from tests.clients import problem


def listed(desk: Desk, query: str = "") -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = done(desk.player.api.get(f"{desk.path}/tasks?{query}"))["items"]
    return items


def goals(desk: Desk, query: str = "") -> list[str]:
    return [task["goal"] for task in listed(desk, query)]


def full_row(desk: Desk) -> str:
    """A row with everything set that can be; its id."""
    dep = desk.row_in("completed")
    task = desk.file(
        "Full.", title="T", context="C", assignee="wren", priority=2, maxAttempts=3, labels=["a"], deps=[dep],
        input={"x": 1},
    )["id"]  # fmt: skip
    _, ticket = desk.claim()
    done(desk.do(task, "update", {"patch": {"metadata": {"m": 1}}}))
    Task.objects.filter(task_id=task).update(
        run={"sessionId": "s", "requestId": "r", "attempt": 1}, author="lead", error="was blocked"
    )
    done(desk.do(task, "complete", {"output": {"y": 2}, "ticket": ticket}))
    Task.objects.filter(task_id=task).update(error="kept", feedback="once")
    return task


def test_list__shows_what_is_allowed_and_nothing_else(desk: Desk) -> None:
    task = full_row(desk)
    held = desk.row_in("in_progress")
    shown = {row["id"]: row for row in listed(desk)}
    assert set(shown[task]) == LISTED | {"revision"}
    assert set(shown[held]) <= LISTED | {"revision"}
    assert shown[task]["deps"] == [row for row in shown if row not in (task, held)]
    assert (shown[task]["priority"], shown[task]["labels"], shown[task]["maxAttempts"]) == (2, ["a"], 3)


def test_list__filters(desk: Desk) -> None:
    desk.file("Sweep the yard", assignee="wren", labels=["out", "dirty"])
    desk.file("Paint the door", assignee="robin", labels=["out"], title="Blue Yard")
    desk.file("100% done_x")
    blocked = desk.row_in("blocked")
    elsewhere = Desk(make_board(desk.player.organization, "x.y.z"), desk.player)
    elsewhere.file("Sweep elsewhere", assignee="wren", labels=["out"])
    assert [row["id"] for row in listed(desk, "status=blocked")] == [blocked]
    assert goals(desk, "assignee=wren") == ["Sweep the yard"]
    assert goals(desk, "assignee=Wren") == []
    assert goals(desk, "label=out&ordering=createdAt") == ["Sweep the yard", "Paint the door"]
    assert goals(desk, "label=out&assignee=robin&status=pending&q=paint") == ["Paint the door"]
    assert goals(desk, "q=YARD&ordering=createdAt") == ["Sweep the yard", "Paint the door"]
    assert goals(desk, "q=yard%20sweep") == ["Sweep the yard"]
    assert goals(desk, "q=0%25%20e_x") == ["100% done_x"]


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("status=done", "status"),
        ("status=", "status"),
        ("status=pending,blocked", "status"),
        ("ordering=goal", "ordering"),
        ("ordering=", "ordering"),
        ("ordering=--priority", "ordering"),
        ("label=" + "x" * 65, "label"),
        ("assignee=" + "x" * 131, "assignee"),
        ("q=" + "x" * 201, "q"),
        ("limit=0", "limit"),
        ("limit=201", "limit"),
        ("status=pending&status=blocked", "status"),
    ],
)
def test_list__a_bad_value_is_named(desk: Desk, query: str, path: str) -> None:
    body = problem(desk.player.api.get(f"{desk.path}/tasks?{query}"), 400, "invalid-input")
    assert body["errors"][0]["path"] == path


def test_list__an_unknown_parameter(desk: Desk) -> None:
    answer = desk.player.api.get(f"{desk.path}/tasks?state=pending")
    problem(answer, 400, "unknown-parameter", "state")


@pytest.fixture
def many(desk: Desk) -> list[Task]:
    """Twelve rows with ties in everything that orders them."""
    for number in range(12):
        desk.file(f"g{number}", priority=[None, 0, -1.5, 7][number % 4])
    rows = list(Task.objects.order_by("pk"))
    for number, row in enumerate(rows):
        row.created_at = LONG_AGO + timedelta(microseconds=number // 3)
        row.updated_at = LONG_AGO + timedelta(microseconds=(number * 5) % 4)
        row.save()
    return rows


COLUMNS = {"createdAt": "created_at", "updatedAt": "updated_at", "priority": "rank"}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("limit", [1, 2, 5, 12, 50])
def test_pages__hold_each_row_once_in_every_order(
    desk: Desk, many: list[Task], name: str, sign: str, limit: int
) -> None:
    seen, cursor = [], ""
    while True:
        body = done(desk.player.api.get(f"{desk.path}/tasks?ordering={sign}{name}&limit={limit}{cursor}"))
        seen += [row["id"] for row in body["items"]]
        assert len(body["items"]) <= limit
        if "nextCursor" not in body:
            break
        cursor = f"&cursor={body['nextCursor']}"
    column = COLUMNS[name]
    expected = sorted(many, key=lambda row: (getattr(row, column), row.pk), reverse=sign == "-")
    assert seen == [row.task_id for row in expected]


def test_pages__newest_first_when_nothing_is_asked(desk: Desk, many: list[Task]) -> None:
    assert goals(desk) == goals(desk, "ordering=-createdAt")


def test_pages__no_row_twice_under_arrivals(desk: Desk, many: list[Task]) -> None:
    first = done(desk.player.api.get(f"{desk.path}/tasks?limit=5"))
    desk.file("late")
    rest = done(desk.player.api.get(f"{desk.path}/tasks?limit=50&cursor={first['nextCursor']}"))
    ids = [row["id"] for row in [*first["items"], *rest["items"]]]
    assert len(ids) == len(set(ids)) == 12


def test_cursor__belongs_to_its_board_and_order(desk: Desk, many: list[Task]) -> None:
    cursor = done(desk.player.api.get(f"{desk.path}/tasks?limit=5"))["nextCursor"]
    other = make_board(desk.player.organization, "x.y.z").board_id
    for path in (
        f"{desk.path}/tasks?ordering=createdAt&cursor={cursor}",
        f"{desk.path}/tasks?ordering=-priority&cursor={cursor}",
        f"/api/boards/{other}/tasks?cursor={cursor}",
        f"{desk.path}/tasks?cursor={cursor}x",
        f"{desk.path}/tasks?cursor=",
    ):
        problem(desk.player.api.get(path), 400, "invalid-cursor")


def test_list__costs_the_same_for_many_rows(
    desk: Desk, many: list[Task], django_assert_num_queries: Any
) -> None:
    desk.file(deps=[many[0].task_id, many[1].task_id])
    listed(desk)
    for limit in (1, 200):
        with django_assert_num_queries(4):  # the key, the board, the rows, their deps
            listed(desk, f"limit={limit}")
