"""What can be reached: by key, grant and participation; everything else is one 404."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client

from messaging.inbox.models import Inbox
from messaging.inbox.services.opening import create_inbox, join_inbox, leave_inbox
from tests.clients import Api, problem
from tests.conftest import Player
from tests.messaging.inbox.conftest import Mate, admit, done
from workforce.models import Actor, Grant
from workforce.services.actors import freeze_actor, retire_actor, unfreeze_actor
from workforce.services.keys import issue_key, revoke_key, rotate_key

SEND = {"type": "info", "topic": "a", "payload": 1}


def calls(api: Api, slug: str, message: str) -> Iterator[tuple[str, HttpResponse]]:
    """Every call of an inbox, with bodies that are in order."""
    here = f"/api/inboxes/{slug}"
    for path in (
        "",
        "/access",
        "/queue",
        "/sent",
        "/search",
        "/events",
        "/incidents",
        "/participants",
        "/schemas",
    ):
        yield path, api.get(here + path)
    yield "/pull", api.post(f"{here}/pull", {})
    yield "/messages", api.post(f"{here}/messages", SEND)
    yield "/receipts", api.post(f"{here}/receipts", {"action": "archive", "ids": [message]})
    yield from message_calls(api, slug, message)


def message_calls(api: Api, slug: str, message: str) -> Iterator[tuple[str, HttpResponse]]:
    one = f"/api/inboxes/{slug}/messages/{message}"
    for path in ("", "/thread", "/receipts", "/events"):
        yield f"/m{path}", api.get(one + path)
    for act in ("acknowledge", "complete", "archive", "close"):
        yield f"/m/{act}", api.post(f"{one}/{act}", {})


def _seen(answer: HttpResponse) -> tuple[int, bytes, dict[str, str]]:
    headers = {name: value for name, value in answer.headers.items() if name != "X-Request-Id"}
    return answer.status_code, answer.content, headers


def test_another_inbox__is_answered_like_none(inbox: Inbox, planner: Mate, elsewhere: Mate) -> None:
    closed = create_inbox(organization=inbox.organization, slug="closed")
    inside, other = admit(closed, "inside"), admit(closed, "inside-too")
    secret = inside.send(to=["inside-too"])
    assert other.queue()["items"]
    invented = {path: _seen(answer) for path, answer in calls(planner.api, "no-such-inbox", str(uuid4()))}
    bodies = {body for status, body, _ in invented.values()}
    assert {status for status, _, _ in invented.values()} == {404}
    assert len(bodies) == 1
    for slug in ("closed", "umbrella", "Release", "release.", "a" * 300, "%E9"):
        for path, answer in calls(planner.api, slug, secret["id"]):
            assert _seen(answer) == invented[path], (slug, path)


def test_another_inboxs_message__is_answered_like_none(inbox: Inbox, planner: Mate, elsewhere: Mate) -> None:
    friend = admit(elsewhere.inbox, "friend", user=elsewhere.actor.user)
    closed = create_inbox(organization=inbox.organization, slug="closed")
    inside = admit(closed, "inside")
    admit(closed, "inside-too")
    foreign = [friend.send()["id"], inside.send()["id"]]
    invented = {path: _seen(answer) for path, answer in message_calls(planner.api, "release", str(uuid4()))}
    assert {status for status, _, _ in invented.values()} == {404}
    for message in [*foreign, "x", "0" * 36, "a" * 300]:
        for path, answer in message_calls(planner.api, "release", message):
            assert _seen(answer) == invented[path], (message, path)
    assert done(planner.get("access"))["totalMessages"] == 0
    assert done(planner.get("search"))["items"] == []


PLACES = (
    "", "/access", "/queue", "/pull", "/sent", "/search", "/receipts", "/events", "/incidents", "/metrics",
    "/participants", "/participants/inside", "/hand-over", "/schemas", "/schemas/info/a", "/messages",
)  # fmt: skip
LETTERS = ("", "/thread", "/receipts", "/events", "/close", "/acknowledge", "/complete", "/archive")


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE"])
@pytest.mark.parametrize("body", [None, {"unknown": 1}])
def test_any_method__tells_a_foreign_place_from_none_by_nothing(
    inbox: Inbox, planner: Mate, method: str, body: Any
) -> None:
    closed = create_inbox(organization=inbox.organization, slug="closed")
    inside = admit(closed, "inside")
    admit(closed, "inside-too")
    secret, invented = inside.send()["id"], str(uuid4())
    for path in (*PLACES, *(f"/messages/{secret}{letter}" for letter in LETTERS)):
        there = planner.api.call(method, f"/api/inboxes/closed{path}", body)
        nowhere = planner.api.call(method, f"/api/inboxes/no-such{path.replace(secret, invented)}", body)
        assert _seen(there) == _seen(nowhere), path
        assert there.status_code in (403, 404, 405)
    for letter in LETTERS:
        there = planner.api.call(method, f"{planner.path}/messages/{secret}{letter}", body)
        nowhere = planner.api.call(method, f"{planner.path}/messages/{invented}{letter}", body)
        assert _seen(there) == _seen(nowhere), letter


def test_inboxes__lists_only_ones_own(inbox: Inbox, planner: Mate, elsewhere: Mate) -> None:
    create_inbox(organization=inbox.organization, slug="closed")
    assert [row["slug"] for row in done(planner.api.get("/api/inboxes"))["items"]] == ["release"]


def test_leaving__ends_every_reach_and_joining_restores_it(inbox: Inbox, planner: Mate, coder: Mate) -> None:
    message = planner.send()
    leave_inbox(inbox=inbox, passname="coder")
    for path, answer in calls(coder.api, "release", message["id"]):
        assert answer.status_code == 404, path
    planner.send()
    join_inbox(inbox=inbox, passname="coder")
    assert [item["seq"] for item in coder.pull()["items"]] == [1]


@pytest.mark.parametrize("mode", ["open", "keys"])
def test_no_key__no_answer(settings: Any, inbox: Inbox, planner: Mate, mode: str) -> None:
    settings.WORKFORCE_AUTH = mode
    message = planner.send()
    for path, answer in calls(Api(), "release", message["id"]):
        problem(answer, 401, "unauthenticated"), path
    answer = Api(X_User="ada").post("/api/inboxes/release/pull", {"userId": "ada"})
    problem(answer, 401, "unauthenticated", "open mode")


def test_browser_session__is_no_participant(inbox: Inbox, planner: Mate) -> None:
    client = Client()
    client.force_login(planner.actor.user)
    assert client.get("/api/inboxes/release/queue").status_code == 401


def test_grants__each_call_names_what_it_needs(inbox: Inbox, planner: Mate) -> None:
    message = planner.send()
    key = issue_key(
        organization=inbox.organization,
        passname="planner",
        grants=[grant for grant in Grant.values if not grant.startswith("inbox")],
    )[1]
    for path, answer in calls(Api(key), "release", message["id"]):
        needed = "inbox:write" if path in ("/messages", "/m/close") else "inbox:read"
        problem(answer, 403, "not-granted", needed)


def test_passname_header__must_match(coder: Mate, planner: Mate) -> None:
    assert coder.get("access", X_Passname="CODER").status_code == 200
    problem(coder.get("access", X_Passname="planner"), 403, "passname-mismatch")


def test_frozen_and_revoked__at_the_next_call_and_nobody_else_notices(
    inbox: Inbox, planner: Mate, coder: Mate, reviewer: Mate
) -> None:
    planner.send()
    coder.pull()
    freeze_actor(organization=inbox.organization, passname="coder")
    problem(coder.post("pull"), 403, "frozen")
    assert planner.send()["recipients"][1]["frozen"] is True
    unfreeze_actor(organization=inbox.organization, passname="coder")
    assert [item["state"] for item in coder.queue()["items"]] == ["delivered", "pending"]
    _, text = rotate_key(organization=inbox.organization, passname="coder")
    problem(coder.post("pull"), 401, "key-revoked")
    again = Mate(inbox, coder.actor, text, Api(text))
    assert [item["seq"] for item in again.pull()["items"]] == [1, 2]
    revoke_key(organization=inbox.organization, prefix=reviewer.actor.keys.get().prefix)
    problem(reviewer.get("queue"), 401, "key-revoked")
    retire_actor(organization=inbox.organization, passname="coder")
    problem(again.post("pull"), 401, "key-revoked")
    assert done(planner.get("sent"))["items"][0]["recipients"][1]["retired"] is True


def test_the_reserved_sender__has_no_key(inbox: Inbox, planner: Mate, coder: Mate) -> None:
    from messaging.inbox.services.sending import Letter, send_message
    from messaging.inbox.services.system import system_actor, system_hand
    from workforce.actorerrors import PassnameReserved

    sent = send_message(
        hand=system_hand(inbox), letter=Letter(type="info", payload="Hello.", topic="a", to=["coder"])
    )
    (item,) = coder.pull()["items"]
    assert (item["id"], item["sender"]) == (str(sent.message.pk), "workforce")
    assert system_actor(inbox.organization) == Actor.objects.get(passname="workforce")
    for make in (issue_key, rotate_key):
        options = {"grants": []} if make is issue_key else {}
        with pytest.raises(PassnameReserved):
            make(organization=inbox.organization, passname="workforce", **options)
    with pytest.raises(PassnameReserved):
        join_inbox(inbox=inbox, passname="workforce")
    problem(planner.try_send(to=["workforce"]), 422, "unknown-passname")


def test_an_answer_to_the_reserved_sender__needs_no_other_recipient(inbox: Inbox) -> None:
    from messaging.inbox.services.sending import Letter, send_message
    from messaging.inbox.services.system import system_hand

    alone = admit(inbox, "alone")
    item = send_message(hand=system_hand(inbox), letter=Letter(type="request", payload="Do it.", topic="a"))
    reply = {"type": "message", "topic": ..., "replyingTo": str(item.message.pk)}
    assert done(alone.try_send("Done.", **reply), 201)["recipients"] == []
    assert done(alone.try_send("Done.", to=["Workforce"], **reply), 201)["recipients"] == []
    problem(alone.try_send("Done."), 422, "no-recipients")


def test_methods__that_no_path_answers(planner: Mate) -> None:
    assert planner.api.call("DELETE", f"{planner.path}/messages/{uuid4()}").status_code == 405
    assert planner.api.call("GET", f"{planner.path}/pull").status_code == 405


def test_setting_up__is_no_keys_business(planner: Mate, owner: Player) -> None:
    for method, path, body in [
        ("POST", "/api/inboxes", {"slug": "mine"}),
        ("PATCH", "/api/inboxes/release", {"duplicateWindow": 5}),
        ("POST", "/api/inboxes/release/participants", {"passname": "ada-desk"}),
        ("DELETE", "/api/inboxes/release/participants/coder", None),
        ("PUT", "/api/inboxes/release/schemas", {"type": "info", "topic": "a", "schema": {}}),
        ("DELETE", "/api/inboxes/release/schemas/info/a", None),
        ("GET", "/api/actors", None),
        ("POST", "/api/actors", {"passname": "new"}),
        ("POST", "/api/actors/coder/freeze", {}),
        ("POST", "/api/actors/coder/rotate", {}),
        ("POST", "/api/keys/0123456789ab/revoke", {}),
    ]:
        problem(planner.api.call(method, path, body), 403, "not-allowed", "browser session")
