"""``If-Match``: a write of what has changed meanwhile is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.boards.api.conftest import Desk, done
from tests.boards.api.test_verbs import HOLDER_VERBS, OPEN_VERBS
from tests.clients import problem


def prepared(desk: Desk, verb: str) -> tuple[str, dict[str, Any], int]:
    """A row on which the verb works, the verb's body, and the row's revision."""
    if verb in HOLDER_VERBS:
        desk.file()
        row, ticket = desk.claim()
        return row["id"], {**HOLDER_VERBS[verb], "ticket": ticket}, row["revision"]
    body, works_from = OPEN_VERBS[verb]
    task = desk.row_in(works_from[0])
    return task, body, desk.see(task)["revision"]


@pytest.mark.parametrize("verb", sorted({*OPEN_VERBS, *HOLDER_VERBS}))
def test_if_match__guards_every_verb(desk: Desk, unwritten: Any, verb: str) -> None:
    task, body, revision = prepared(desk, verb)
    with unwritten():
        for tag in (
            f'"{revision + 1}"',
            '"0"',
            '"abc"',
            '""',
            f'W/"{revision}"',
            f'"0{revision}"',
            '"' + "9" * 400 + '"',
        ):
            problem(desk.do(task, verb, body, If_Match=tag), 412, "stale", str(revision))
    assert desk.do(task, verb, body, If_Match=f' "{revision}" ').status_code in (200, 201)


def test_if_match__a_star_is_any_row(desk: Desk) -> None:
    task = desk.file()["id"]
    assert done(desk.do(task, "block", If_Match="*"))["status"] == "blocked"
    problem(desk.do("task_none", "block", If_Match="*"), 404, "task_not_found")


@pytest.mark.parametrize("tag", ["", "1", "'1'", '"1', '1"', '"1" "2"', '"1", "2"', 'w/"1"', "W/1", "**"])
def test_if_match__that_is_no_tag(desk: Desk, unwritten: Any, tag: str) -> None:
    task = desk.file()["id"]
    with unwritten():
        body = problem(desk.do(task, "block", If_Match=tag), 400, "invalid-input")
    assert body["errors"][0]["path"] == "If-Match"


@pytest.mark.parametrize("tag", ['"1"', '"x"', 'W/"1"'])
def test_if_match__a_row_that_is_not_there_is_that_first(desk: Desk, tag: str) -> None:
    problem(desk.do("task_none", "block", If_Match=tag), 404, "task_not_found")


def test_if_match__two_who_read_the_same(desk: Desk) -> None:
    """The second of two writers is told, and can read again."""
    task = desk.file()["id"]
    tag = desk.player.api.get(f"{desk.path}/tasks/{task}")["ETag"]
    first = desk.do(task, "update", {"patch": {"priority": 1}}, If_Match=tag)
    done(first)
    problem(desk.do(task, "update", {"patch": {"priority": 2}}, If_Match=tag), 412, "stale")
    done(desk.do(task, "update", {"patch": {"priority": 2}}, If_Match=first["ETag"]))
    assert desk.see(task)["priority"] == 2


def test_if_match__every_answer_of_one_row_has_the_tag(desk: Desk) -> None:
    filed = desk.player.api.post(f"{desk.path}/tasks", {"goal": "x"})
    task = filed.json()["id"]
    taken = desk.player.api.post(f"{desk.path}/claim", {"worker": "wren"})
    seen = desk.player.api.get(f"{desk.path}/tasks/{task}")
    assert (filed["ETag"], taken["ETag"], seen["ETag"]) == ('"1"', '"2"', '"2"')
    assert "ETag" not in desk.player.api.get(f"{desk.path}/tasks")
