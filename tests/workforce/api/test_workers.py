"""A user's own workers over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection

from tests.clients import problem
from tests.conftest import Player, make_player
from tests.workforce.hires import furnish, hire
from workforce import clock
from workforce.models import Grant, Item, Request, Seat, Session
from workforce.services.workers import fire_worker

Nothing = Callable[..., AbstractContextManager[None]]
NEW = {"id": "my-analyst", "description": "Finds out why.", "instructions": "Secret.", "settings": {}}


def listed(player: Player) -> list[str]:
    return [entry["id"] for entry in player.api.get("/api/workers").json()["items"]]


def test_hire__answers_the_worker(owner: Player, stranger: Player) -> None:
    answer = owner.api.post("/api/workers/hire", NEW)
    assert answer.status_code == 201, answer.content
    seat = Seat.objects.get()
    assert answer.json() == {
        "id": "my-analyst",
        "flowKind": "agent",
        "owner": "user",
        "description": "Finds out why.",
        "hiredAt": clock.to_ms(seat.hired_at),
    }
    assert (listed(owner), listed(stranger)) == (["my-analyst"], [])


def test_hire__with_an_id_only(owner: Player) -> None:
    assert owner.api.post("/api/workers/hire", {"id": "x", "flow": None}).status_code == 201


@pytest.mark.parametrize("stored", ["{", '"text"', "[1]"])
def test_row__that_somebody_broke_is_told_of_and_mended_by_an_edit(
    stored: str, owner: Player, seat: Any
) -> None:
    seat("support.lead", instructions="Lead.")
    assert owner.api.post("/api/workers/hire", NEW).status_code == 201
    with connection.cursor() as cursor:
        cursor.execute("UPDATE workforce_seat SET settings = %s", [stored])
    assert listed(owner) == ["my-analyst", "support.lead"]
    for path, body in (("fork", {"from": "support.lead", "id": "mine"}), ("my-analyst/edit", {})):
        refused = problem(owner.api.post(f"/api/workers/{path}", body), 400, "invalid-input")
        assert "are stored as no object" in refused["detail"]
    assert owner.api.post("/api/workers/my-analyst/edit", {"settings": {}}).status_code == 200
    assert Seat.objects.get(seat_id="my-analyst").settings == {}


def test_fork_edit_fire__through_the_door(owner: Player, seat: Any) -> None:
    seat("support.lead", instructions="Lead.")
    answer = owner.api.post("/api/workers/fork", {"from": "support.lead", "id": "my lead"})
    assert (answer.status_code, answer.json()["description"]) == (201, "Leads.")
    path = f"/api/workers/{quote('my lead')}"
    answer = owner.api.post(f"{path}/edit", {"description": "Leads me.", "settings": {"concurrency": 2}})
    assert (answer.status_code, answer.json()["description"]) == (200, "Leads me.")
    assert owner.api.post(f"{path}/edit", {}).status_code == 200
    assert listed(owner) == ["my lead", "support.lead"]
    answer = owner.api.post(f"{path}/fire/")
    assert (answer.status_code, answer.content) == (204, b"")
    assert listed(owner) == ["support.lead"]
    problem(owner.api.post(f"{path}/fire"), 404, "not-found", "there is no worker 'my lead'")


@pytest.mark.parametrize(
    ("path", "body", "wrong"),
    [
        ("hire", {}, {"id"}),
        ("hire", {"id": 5}, {"id"}),
        ("hire", {"id": "a/b", "settings": {"tools": ["x"]}}, {"id", "settings.tools"}),
        ("hire", {"id": "a", "nmae": "x"}, {"nmae"}),
        ("hire", {"id": "a", "settings": []}, {"settings"}),
        ("hire", {"id": "a", "description": "a\x00b", "instructions": 5}, {"description", "instructions"}),
        ("fork", {"id": "a"}, {"from"}),
        ("fork", {"from": "support.lead", "id": "~a"}, {"id"}),
        ("mine/edit", {"id": "other"}, {"id"}),
        ("mine/edit", {"flow": "mailbox"}, {"flow"}),
        ("mine/fire", {"now": True}, {"now"}),
        ("mine/ensure-session", {"sessionId": "x"}, {"sessionId"}),
    ],
)
def test_bad_input__names_each_field(
    owner: Player, seat: Any, nothing_written: Nothing, path: str, body: dict[str, Any], wrong: set[str]
) -> None:
    seat("support.lead")
    hire(owner, "mine")
    with nothing_written():
        found = problem(owner.api.post(f"/api/workers/{path}", body), 400, "invalid-input")
    assert {entry["path"] for entry in found["errors"]} == wrong


def test_refusals__with_their_codes(owner: Player, seat: Any, nothing_written: Nothing) -> None:
    seat("support.lead")
    hire(owner, "mine")
    with nothing_written():
        problem(owner.api.post("/api/workers/hire", {"id": "mine"}), 409, "worker-taken", "'mine'")
        problem(owner.api.post("/api/workers/hire", {"id": "support.lead"}), 409, "worker-taken", "standard")
        for verb in ("edit", "fire"):
            refused = owner.api.post(f"/api/workers/support.lead/{verb}")
            problem(refused, 409, "standard-worker", "fork it")


@pytest.mark.parametrize("path", ["{}/edit", "{}/fire", "{}/ensure-session", "fork"])
def test_another_users_worker__is_answered_like_one_that_is_not_there(
    owner: Player, stranger: Player, nothing_written: Nothing, path: str
) -> None:
    hire(stranger, "theirs")

    def answer(worker: str) -> str:
        body = {"from": worker, "id": "x"} if path == "fork" else {}
        refused = owner.api.post("/api/workers/" + path.format(worker), body)
        return refused.content.decode().replace(worker, "WORKER")

    with nothing_written():
        assert answer("theirs") == answer("never-was")


@pytest.mark.parametrize("path", ["hire", "fork", "mine/edit", "mine/fire", "mine/ensure-session"])
def test_write__needs_the_grant(owner: Player, nothing_written: Nothing, path: str) -> None:
    hire(owner, "mine")
    reader = make_player(owner.user, owner.organization, "reader", Grant.FLOWS_READ)
    assert listed(reader) == ["mine"]
    with nothing_written():
        problem(reader.api.post(f"/api/workers/{path}", {}), 403, "not-granted", "flows:write")
    writer = make_player(owner.user, owner.organization, "writer", Grant.FLOWS_WRITE)
    problem(writer.api.get("/api/workers"), 403, "not-granted", "flows:read")


def test_repeated_call__is_one(owner: Player) -> None:
    first = owner.api.post("/api/workers/hire", NEW, Idempotency_Key="k")
    again = owner.api.post("/api/workers/hire", NEW, Idempotency_Key="k")
    assert (first.status_code, first.content) == (again.status_code, again.content) == (201, again.content)
    other = owner.api.post("/api/workers/hire", {**NEW, "id": "other"}, Idempotency_Key="k")
    problem(other, 409, "idempotency-key-reused")
    assert Seat.objects.count() == 1
    for _ in range(2):
        answer = owner.api.post("/api/workers/my-analyst/fire", Idempotency_Key="f")
        assert answer.status_code == 204
    for _ in range(2):  # a refusal is the first answer too
        answer = owner.api.post("/api/workers/hire", {"id": "~"}, Idempotency_Key="r")
        problem(answer, 400, "invalid-input")


def test_ensure_session__answers_the_session(owner: Player, stranger: Player, seat: Any) -> None:
    seat("support.lead")
    made = owner.api.post("/api/workers/support.lead/ensure-session")
    assert made.status_code == 201, made.content
    body = made.json()
    assert made["Location"] == f"/api/sessions/{body['id']}"
    assert (body["flowKind"], body["seatId"], body["parentId"]) == ("agent", "support.lead", None)
    found = owner.api.post("/api/workers/support.lead/ensure-session")
    assert (found.status_code, found.json()["id"]) == (200, body["id"])
    assert owner.api.get(f"/api/sessions/{body['id']}").status_code == 200
    problem(stranger.api.get(f"/api/sessions/{body['id']}"), 404, "session-not-found")


@pytest.mark.parametrize("gone", ["fired", "retired"])
def test_conversations__of_a_worker_that_is_gone_stay_readable(owner: Player, seat: Any, gone: str) -> None:
    hired = hire(owner, "mine") if gone == "fired" else seat("mine")
    address = owner.api.post("/api/workers/mine/ensure-session").json()["id"]
    session = Session.objects.get(address=address)
    request = Request.objects.create(session=session, action="run", source=Request.Source.HTTP)
    Item.objects.create(
        session=session, seq=1, type=Item.Type.MESSAGE, request=request, data={"text": "Hello."}
    )
    Session.objects.filter(pk=session.pk).update(item_seq=1)
    if gone == "fired":
        fire_worker(caller=owner.caller, worker_id="mine")
    else:
        Seat.objects.filter(pk=hired.pk).update(retired_at=clock.now())
    assert listed(owner) == []
    shown = owner.api.get(f"/api/sessions/{address}").json()
    assert (shown["seatId"], shown["lastSeq"]) == ("mine", 1)
    items = owner.api.get(f"/api/sessions/{address}/items").json()["items"]
    assert [entry["data"] for entry in items] == [{"text": "Hello."}]
    assert owner.api.get(f"/api/sessions/{address}/requests").json()["items"][0]["id"] == str(request.uid)
    assert owner.api.get(f"/api/requests/{request.uid}").status_code == 200
    assert [entry["id"] for entry in owner.api.get("/api/sessions").json()["items"]] == [address]
    problem(owner.api.post("/api/workers/mine/ensure-session"), 404, "not-found")


@pytest.mark.parametrize("worker", ["%00", "%ed%a0%80", "x" * 3000, "%2e%2e", "a%0ab", "~x"])
def test_path__whatever_is_sent_is_no_defect(owner: Player, worker: str) -> None:
    for verb in ("edit", "fire", "ensure-session"):
        assert owner.api.post(f"/api/workers/{worker}/{verb}").status_code in (400, 404)


def test_hire__names_what_furnished_organizations_have(owner: Player) -> None:
    furnish(owner.organization)
    body = {"id": "mine", "settings": {"drains": ["support.help.triage"], "resources": ["handbok"]}}
    found = problem(owner.api.post("/api/workers/hire", body), 400, "invalid-input")
    assert found["errors"] == [
        {
            "path": "settings.resources",
            "message": "unknown document 'handbok' (did you mean 'handbook'?); known: 'handbook', 'house-style'",
        }
    ]
