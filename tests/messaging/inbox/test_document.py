"""What the calls answer is what the document says: closed, with every key described."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from pydantic import TypeAdapter

from messaging.inbox.api import schemas, setupschemas
from messaging.inbox.services.opening import leave_inbox
from tests.clients import Api
from tests.messaging.inbox.conftest import Mate, done
from workforce.models import Membership
from workforce.services.actors import freeze_actor, retire_actor
from workforce.services.organizations import ensure_membership


def check(model: Any, body: dict[str, Any]) -> dict[str, Any]:
    """The body has the keys of the model and no others, in its order."""
    TypeAdapter(model).validate_python(body)
    return body


@pytest.fixture
def operator(planner: Mate) -> Client:
    ensure_membership(user=planner.actor.user, organization=planner.inbox.organization)
    Membership.objects.update(role=Membership.Role.OWNER)
    client = Client()
    client.force_login(planner.actor.user)
    return client


def test_answers__are_as_described(planner: Mate, coder: Mate, reviewer: Mate, boss: Mate) -> None:
    check(schemas.AccessAnswer, done(coder.get("access")))
    request = check(schemas.SentMessage, done(planner.try_send(approval=True), 201))
    check(schemas.SentMessage, done(planner.try_send(approval=True)))
    long = planner.send("x" * 1000)
    check(schemas.QueuePage, coder.pull(limit=1))
    check(schemas.QueuePage, coder.queue("?limit=2&budgetChars=600"))
    reply = coder.send("Why?", type="message", replyingTo=request["id"])
    moved = {"note": "Done.", "replyId": reply["id"]}
    check(schemas.ReceiptAnswer, done(boss.do(request["id"], "complete", moved)))
    check(schemas.ReceiptAnswer, done(planner.do(reply["id"], "acknowledge")))
    check(
        schemas.BulkAnswer, done(reviewer.post("receipts", {"action": "archive", "ids": [long["id"], "x"]}))
    )
    check(schemas.Head, done(planner.do(request["id"], "close")))
    retire_actor(organization=planner.inbox.organization, passname="reviewer")
    leave_inbox(inbox=planner.inbox, passname="boss")
    freeze_actor(organization=planner.inbox.organization, passname="boss")
    check(schemas.QueuePage, coder.queue())
    check(schemas.OutboundPage, done(planner.get("sent?limit=1")))
    check(schemas.OutboundPage, done(planner.get("sent")))
    check(schemas.WholeMessage, coder.see(request["id"]))
    check(schemas.WholeMessage, coder.see(long["id"], "?maxChars=5"))
    for query in ("view=all", "view=all&limit=1", "view=ancestry&maxChars=3"):
        check(schemas.ThreadPage, done(coder.get(f"messages/{reply['id']}/thread?{query}")))
    check(schemas.ReceiptPage, done(coder.get(f"messages/{request['id']}/receipts?limit=1")))
    check(schemas.InboxEventPage, done(coder.get(f"messages/{request['id']}/events?limit=1")))
    coder.try_send(to=["x"])
    check(schemas.InboxEventPage, done(coder.get("events")))
    check(schemas.SearchPage, done(coder.get("search?limit=1")))
    check(schemas.SearchPage, done(coder.get("search?q=x&status=pending")))
    Api("wfk_rubbish").get("/api/inboxes/release/queue")
    coder.get("queue", X_Passname="other")
    check(schemas.IncidentPage, done(coder.get("incidents?limit=1")))
    check(schemas.IncidentPage, done(coder.get("incidents")))
    check(setupschemas.ParticipantPage, done(coder.get("participants")))
    check(setupschemas.SchemaList, done(coder.get("schemas")))
    check(setupschemas.InboxAnswer, done(coder.get("")))
    check(setupschemas.InboxPage, done(coder.api.get("/api/inboxes")))


def test_set_up__is_as_described(operator: Client, team: dict[str, Mate]) -> None:
    def call(method: str, path: str, body: Any = None) -> Any:
        sender = getattr(operator, method)
        content = "" if body is None else body
        return sender(path, content, content_type="application/json") if method != "get" else sender(path)

    check(setupschemas.InboxAnswer, done(call("post", "/api/inboxes", {"slug": "desk"}), 201))
    check(setupschemas.InboxAnswer, done(call("patch", "/api/inboxes/desk", {"duplicateWindow": 5})))
    check(setupschemas.InboxPage, done(call("get", "/api/inboxes?limit=1")))
    check(
        setupschemas.ParticipantAnswer,
        done(call("post", "/api/inboxes/desk/participants", {"passname": "coder"}), 201),
    )
    check(setupschemas.ParticipantAnswer, done(call("delete", "/api/inboxes/desk/participants/coder")))
    schema = {"type": "info", "topic": "a", "schema": {"type": "string"}}
    check(setupschemas.SchemaAnswer, done(call("put", "/api/inboxes/desk/schemas", schema)))
    check(setupschemas.SchemaList, done(call("get", "/api/inboxes/desk/schemas")))
    check(
        setupschemas.KeyAnswer,
        done(call("post", "/api/actors", {"passname": "new", "grants": ["flows:read"]}), 201),
    )
    check(setupschemas.KeyAnswer, done(call("post", "/api/actors/coder/rotate", {}), 201))
    check(setupschemas.ActorAnswer, done(call("post", "/api/actors/coder/freeze", {})))
    check(setupschemas.ActorPage, done(call("get", "/api/actors?limit=2")))
    prefix = team["boss"].actor.keys.get().prefix
    check(setupschemas.RevokedKeyAnswer, done(call("post", f"/api/keys/{prefix}/revoke", {})))
