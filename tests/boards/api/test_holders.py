"""What whoever holds a row can do with its ticket, and what it cannot do without."""

from __future__ import annotations

from typing import Any

import pytest

from tests.boards.api.conftest import LISTED, Desk, done, make_board
from tests.boards.api.test_verbs import HOLDER_VERBS
from tests.clients import problem


@pytest.mark.parametrize("verb", HOLDER_VERBS)
def test_holder__acts_with_its_ticket(desk: Desk, verb: str) -> None:
    desk.file(maxAttempts=1)
    row, ticket = desk.claim()
    answer = done(desk.do(row["id"], verb, {**HOLDER_VERBS[verb], "ticket": ticket}))
    expected = {
        "complete": "completed", "fail": "errored", "park": "parked", "renew": "in_progress",
        "release": "pending",
    }  # fmt: skip
    assert answer["status"] == expected[verb]
    assert ticket not in str(answer)


@pytest.mark.parametrize("verb", HOLDER_VERBS)
def test_holder__that_lost_the_row(desk: Desk, unwritten: Any, verb: str) -> None:
    """Tickets of another row, of a claim before, of another board, and words that are none."""
    first, second = desk.file()["id"], desk.file()["id"]
    _, old = desk.claim()
    done(desk.do(first, "reclaim"))
    row, now = desk.claim("robin")
    assert row["id"] == first
    _, of_second = desk.claim()
    elsewhere = Desk(make_board(desk.player.organization, "x.y.z"), desk.player)
    elsewhere.file()
    _, of_elsewhere = elsewhere.claim()
    body = HOLDER_VERBS[verb]
    with unwritten():
        for ticket in (old, of_second, of_elsewhere, "x", now + "A", "\u0000"):
            problem(desk.do(first, verb, {**body, "ticket": ticket}), 409, "lost-claim", first)
        problem(desk.do(second, verb, {**body, "ticket": now}), 409, "lost-claim", second)
    done(desk.do(first, verb, {**body, "ticket": now}))


@pytest.mark.parametrize("verb", ["complete", "fail", "park", "release"])
def test_holder__may_ask_again_after_a_lost_answer(desk: Desk, unwritten: Any, verb: str) -> None:
    desk.file()
    row, ticket = desk.claim()
    body = {**HOLDER_VERBS[verb], "ticket": ticket}
    first = desk.do(row["id"], verb, body)
    done(first)
    with unwritten():
        again = desk.do(row["id"], verb, body)
        others = [
            desk.do(row["id"], verb, {**body, **more})
            for more in ({"output": 1.0}, {"error": "no!"}, {"question": "??"})
            if set(more) <= set(body)
        ]
    assert (again.status_code, again.content, again["ETag"]) == (200, first.content, first["ETag"])
    for other in others:
        assert other.status_code == 409, other.content


@pytest.mark.parametrize("verb", ["park", "renew", "release"])
def test_holder__needs_a_ticket(desk: Desk, unwritten: Any, verb: str) -> None:
    task = desk.row_in("in_progress")
    with unwritten():
        body = problem(desk.do(task, verb, HOLDER_VERBS[verb]), 400, "invalid-input")
    assert body["errors"][0]["path"] == "ticket"


def test_renew__moves_the_lease_and_nothing_else(desk: Desk) -> None:
    desk.file()
    row, ticket = desk.claim(leaseSeconds=10)
    before = desk.see(row["id"])
    answer = done(desk.do(row["id"], "renew", {"ticket": ticket, "leaseSeconds": 1000}))
    after = desk.see(row["id"])
    assert after["leaseUntil"] >= before["leaseUntil"] + 900_000
    assert {**after, "leaseUntil": 0} == {**before, "leaseUntil": 0}
    assert answer["revision"] == before["revision"]
    assert set(answer) <= LISTED | {"revision"}


@pytest.mark.parametrize("seconds", [0, -1, 86_401, 10**30, 1.5, "60", True])
def test_renew__a_lease_outside_its_bounds_is_refused(desk: Desk, unwritten: Any, seconds: Any) -> None:
    desk.file()
    row, ticket = desk.claim()
    with unwritten():
        answer = desk.do(row["id"], "renew", {"ticket": ticket, "leaseSeconds": seconds})
    assert problem(answer, 400, "invalid-input")["errors"][0]["path"] == "leaseSeconds"
