"""Sending: the envelope, every refusal, and that a refusal writes nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from uuid import uuid4

import pytest

from messaging.inbox.models import Inbox, InboxEvent, Message, Receipt
from messaging.inbox.services.opening import leave_inbox
from messaging.inbox.services.schemas import remove_schema, set_schema
from tests.clients import problem
from tests.messaging.inbox.conftest import Mate, admit, check_counters, done
from workforce.clock import now, to_ms
from workforce.services.actors import freeze_actor, retire_actor

Unchanged = Callable[..., AbstractContextManager[None]]
KEY = "wfk_0123456789ab_" + "A" * 43


def test_send__answers_the_message_and_what_is_known_of_each_recipient(planner: Mate, coder: Mate) -> None:
    coder.pull()
    before = to_ms(now())
    answer = planner.try_send({"b": 1, "a": "é"})
    body = done(answer, 201)
    assert list(body) == [
        "id", "seq", "sender", "type", "topic", "replyingTo", "threadId", "depth", "payloadSize", "createdAt",
        "recipients",
    ]  # fmt: skip
    assert (body["seq"], body["sender"], body["type"], body["topic"]) == (1, "planner", "request", "plan")
    assert (body["replyingTo"], body["threadId"], body["depth"]) == (None, body["id"], 0)
    assert body["payloadSize"] == len('{"b":1,"a":"é"}'.encode())
    assert before <= body["createdAt"] <= to_ms(now())
    assert [entry["passname"] for entry in body["recipients"]] == ["boss", "coder", "reviewer"]
    assert {entry["state"] for entry in body["recipients"]} == {"pending"}
    pulled = {entry["passname"]: entry["lastPulledAt"] for entry in body["recipients"]}
    assert pulled["coder"] <= body["createdAt"] and pulled["boss"] is None
    assert answer["Location"] == f"/api/inboxes/release/messages/{body['id']}"
    check_counters(planner.inbox)


def test_send__counts_one_two_three(planner: Mate, coder: Mate) -> None:
    assert [mate.send(n)["seq"] for n, mate in enumerate((planner, coder, planner))] == [1, 2, 3]


@pytest.mark.parametrize(
    "payload",
    [None, True, 0, -1.5, "", "x\x00y", [], {}, {"": {"": []}}, "😀", {"b": 1, "a": 2}, 10**300, "é" * 99],
)
def test_payload__comes_back_unchanged(planner: Mate, coder: Mate, payload: Any) -> None:
    message = planner.send(payload)
    seen = coder.see(message["id"])
    assert json.dumps(seen["payload"]) == json.dumps(payload)
    assert message["payloadSize"] == len(
        json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    )


@pytest.mark.parametrize("letter", ["x", "é", "漢", "😀"])
def test_payload__at_the_limit_and_one_byte_over(
    planner: Mate, nothing_written: Unchanged, settings: Any, letter: str
) -> None:
    limit = settings.INBOX_MAX_PAYLOAD
    width = len(letter.encode())
    text = letter * ((limit - 2) // width)
    text += "y" * (limit - 2 - len(text.encode()))
    assert planner.send(text)["payloadSize"] == limit
    with nothing_written(InboxEvent=1):
        body = problem(planner.try_send(text + "y"), 413, "too-large", str(limit + 1), str(limit))
    assert (body["size"], body["limit"]) == (limit + 1, limit)


def test_payload__sized_as_compact_json_whatever_was_sent(planner: Mate, settings: Any) -> None:
    settings.INBOX_MAX_PAYLOAD = 20
    raw = b'{"type":"info","topic":"a","payload":{"k" :   "\\u00e9\\u00e9\\u00e9\\u00e9\\u00e9"}}'
    answer = planner.api.client.generic(
        "POST", f"{planner.path}/messages", raw, content_type="application/json", headers=planner.api.headers
    )
    assert done(answer, 201)["payloadSize"] == 18


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"type": ...}, "type"),
        ({"type": "order"}, "type"),
        ({"type": None}, "type"),
        ({"payload": ...}, "payload"),
        ({"topic": ...}, "topic"),
        ({"topic": "Plan"}, "topic"),
        ({"topic": ""}, "topic"),
        ({"topic": "a--b"}, "topic"),
        ({"topic": "a" * 65}, "topic"),
        ({"topic": 5}, "topic"),
        ({"to": "coder"}, "to"),
        ({"to": [5]}, "to.0"),
        ({"to": [""]}, "to.0"),
        ({"to": ["a\x00"]}, "to.0"),
        ({"to": ["x"] * 10_001}, "to"),
        ({"replyingTo": 5}, "replyingTo"),
        ({"approval": "yes"}, "approval"),
        ({"approval": True, "type": "info"}, ""),
        ({"allowDuplicate": 1}, "allowDuplicate"),
        ({"allowSecret": None}, "allowSecret"),
        ({"toppic": "x"}, "toppic"),
        ({"replying_to": "x"}, "replying_to"),
    ],
)
def test_send__out_of_shape(
    planner: Mate, nothing_written: Unchanged, body: dict[str, Any], path: str
) -> None:
    with nothing_written(InboxEvent=1):
        refusal = problem(planner.try_send(**body), 400, "invalid-input")
    if path:
        assert path in [entry["path"] for entry in refusal["errors"]], refusal
    assert InboxEvent.objects.get(kind="rejected").code == "invalid-input"


@pytest.mark.parametrize(
    "raw",
    [
        b'{"type":"info","topic":"a","payload":NaN}',
        b'{"type":"info","topic":"a","payload":1e999}',
        b'{"type":"info","topic":"a","payload":{"a":1,"a":2}}',
        b'{"type":"info","topic":"a","payload":"\\ud800"}',
        b'{"type":"info","topic":"a","payload":"\xff"}',
        b'{"type":"info","topic":"a","payload":' + b"[" * 101 + b"]" * 101 + b"}",
        b'{"type":"info"',
        b"[]",
    ],
)
def test_send__no_strict_json(planner: Mate, nothing_written: Unchanged, raw: bytes) -> None:
    with nothing_written():
        answer = planner.api.client.generic(
            "POST",
            f"{planner.path}/messages",
            raw,
            content_type="application/json",
            headers=planner.api.headers,
        )
    assert answer.status_code == 400, answer.content


def test_secret__is_refused_unless_it_is_none(planner: Mate, nothing_written: Unchanged) -> None:
    payload = {"login": {"token": KEY}}
    with nothing_written(InboxEvent=1):
        answer = planner.try_send(payload)
        problem(answer, 422, "secret-in-payload", "login.token", "allowSecret")
    assert KEY not in answer.content.decode()
    done(planner.try_send(payload, allowSecret=True), 201)


def test_schema__holds_payloads_of_its_type_and_topic(
    inbox: Inbox, planner: Mate, coder: Mate, nothing_written: Unchanged
) -> None:
    schema = {"type": "object", "required": ["goal"], "properties": {"goal": {"type": "string"}}}
    set_schema(inbox=inbox, type="request", topic="plan", schema=schema)
    with nothing_written(InboxEvent=1):
        body = problem(planner.try_send({"goal": 5}), 422, "schema-mismatch", "goal")
    assert body["errors"] == [{"path": "goal", "message": "5 is not of type 'string'"}]
    assert InboxEvent.objects.get(kind="rejected").code == "schema-mismatch"
    first = done(planner.try_send({"goal": "x"}), 201)
    planner.send("free", type="info")
    planner.send("free", topic="other")
    problem(coder.try_send("free", topic=..., replyingTo=first["id"]), 422, "schema-mismatch", "payload")
    remove_schema(inbox=inbox, type="request", topic="plan")
    planner.send({"goal": 5})


def test_to__names_once_each_in_any_case(planner: Mate, coder: Mate) -> None:
    message = planner.send(to=["Coder", "coder", "planner", "BOSS"])
    assert [entry["passname"] for entry in message["recipients"]] == ["boss", "coder"]
    assert Receipt.objects.count() == 2
    check_counters(planner.inbox)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("codr", "coder"),
        ("revewer", "reviewer"),
        ("zzz", None),
        ("a b", None),
        ("é", None),
        ("x" * 200, None),
    ],
)
def test_to__unknown_refuses_the_whole_send(
    planner: Mate, nothing_written: Unchanged, unmoved: Unchanged, name: str, meant: str | None
) -> None:
    with nothing_written(InboxEvent=1), unmoved():
        body = problem(planner.try_send(to=["coder", name]), 422, "unknown-passname", name[:50])
    assert ("did you mean" in body["detail"]) == (meant is not None)
    assert meant is None or f"'{meant}'" in body["detail"]


def test_to__an_actor_of_the_organization_that_takes_no_part_is_unknown(
    planner: Mate, owner: Any, elsewhere: Mate, nothing_written: Unchanged
) -> None:
    for name in ("ada-desk", "eve", "workforce"):
        with nothing_written(InboxEvent=1):
            body = problem(planner.try_send(to=[name]), 422, "unknown-passname")
        assert "did you mean 'ada" not in body["detail"]
        assert "did you mean 'eve" not in body["detail"]


def test_to__retired_and_left(inbox: Inbox, planner: Mate, coder: Mate, unmoved: Unchanged) -> None:
    retire_actor(organization=inbox.organization, passname="coder")
    leave_inbox(inbox=inbox, passname="reviewer")
    with unmoved():
        problem(planner.try_send(to=["boss", "coder"]), 422, "recipient-retired", "'coder'")
        problem(planner.try_send(to=["reviewer"]), 422, "unknown-passname", "has left")
    assert [entry["passname"] for entry in planner.send()["recipients"]] == ["boss"]


def test_to__frozen_is_accepted_and_said(inbox: Inbox, planner: Mate, coder: Mate) -> None:
    freeze_actor(organization=inbox.organization, passname="coder")
    recipients = {entry["passname"]: entry["frozen"] for entry in planner.send()["recipients"]}
    assert recipients == {"boss": False, "coder": True, "reviewer": False}


@pytest.mark.parametrize("to", [[], ["planner"], ["PLANNER", "planner"]])
def test_to__nobody_but_oneself(planner: Mate, unmoved: Unchanged, to: list[str]) -> None:
    with unmoved():
        problem(planner.try_send(to=to), 422, "no-recipients")


def test_to__absent_with_nobody_else(inbox: Inbox) -> None:
    alone = admit(inbox, "alone")
    problem(alone.try_send(), 422, "no-recipients", "nobody else takes part")


def test_to__empty_is_nobody_and_says_so(planner: Mate, unmoved: Unchanged) -> None:
    with unmoved():
        problem(planner.try_send(to=[]), 422, "no-recipients", "'to' is empty")


def test_reply__takes_thread_depth_and_topic(planner: Mate, coder: Mate) -> None:
    root = planner.send(topic="release")
    reply = coder.send(topic=..., type="message", replyingTo=root["id"])
    assert (reply["topic"], reply["replyingTo"], reply["threadId"], reply["depth"]) == (
        "release", root["id"], root["id"], 1,
    )  # fmt: skip
    deeper = planner.send(topic="other", replyingTo=reply["id"])
    assert (deeper["topic"], deeper["threadId"], deeper["depth"]) == ("other", root["id"], 2)


@pytest.mark.parametrize("kind", ["invented", "foreign", "no id", "empty"])
def test_reply__to_what_is_not_here(
    planner: Mate, elsewhere: Mate, nothing_written: Unchanged, kind: str
) -> None:
    admit(elsewhere.inbox, "friend", user=elsewhere.actor.user)
    ids = {"invented": str(uuid4()), "foreign": elsewhere.send()["id"], "no id": "x", "empty": ""}
    with nothing_written():
        problem(planner.try_send(replyingTo=ids[kind]), 404, "not-found")


def test_scope__read_may_not_send(inbox: Inbox, planner: Mate, nothing_written: Unchanged) -> None:
    reader = admit(inbox, "reader", scope="read")
    reader.pull()
    with nothing_written(CredentialIncident=1):
        problem(reader.try_send(), 403, "not-granted", "inbox:write")


def test_later_comers__have_receipts_from_then_on(inbox: Inbox, planner: Mate) -> None:
    first = planner.send()
    late = admit(inbox, "late")
    assert late.pull()["items"] == []
    assert late.see(first["id"])["payload"] == "Do it."
    second = planner.send()
    assert [item["id"] for item in late.pull()["items"]] == [second["id"]]


def test_send__to_five_thousand_in_bounded_queries(
    inbox: Inbox, planner: Mate, django_assert_max_num_queries: Any
) -> None:
    from messaging.inbox.models import Participation
    from workforce.models import Actor

    actors = Actor.objects.bulk_create(
        Actor(organization=inbox.organization, user=planner.actor.user, passname=f"bot-{n}")
        for n in range(5000)
    )
    Participation.objects.bulk_create(Participation(inbox=inbox, actor=actor) for actor in actors)
    with django_assert_max_num_queries(30):
        assert len(planner.send()["recipients"]) == 5003
    with django_assert_max_num_queries(30):
        assert len(planner.send(to=[actor.passname for actor in actors])["recipients"]) == 5000
    assert Message.objects.get(seq=1).open_receipts == 5003
    assert len(done(planner.get(f"messages/{Message.objects.get(seq=1).pk}/receipts"))["items"]) == 1000
    sent = done(planner.get("sent/?open=true"))["items"]
    assert [len(item["recipients"]) for item in sent] == [5000, 5003]
    check_counters(inbox)
