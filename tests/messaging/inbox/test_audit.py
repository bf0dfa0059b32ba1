"""Events and incidents."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import DatabaseError

from messaging.inbox.models import CredentialIncident, Inbox
from messaging.inbox.services import incidents
from messaging.inbox.services.incidents import EACH, UNKNOWN_ROWS, Counter
from tests.clients import Api, problem
from tests.messaging.inbox.conftest import Mate, admit, done
from workforce.services.actors import freeze_actor
from workforce.services.keys import revoke_key
from workforce.services.noticing import KeyRefusal

SECRET = "A" * 43


@pytest.fixture
def counter() -> Counter:
    return incidents.counter


def test_events__of_an_inbox_and_of_a_message(planner: Mate, coder: Mate) -> None:
    message = planner.send(to=["coder"])
    coder.pull()
    problem(planner.try_send(to=["codr"]), 422, "unknown-passname")
    done(coder.do(message["id"], "complete"))
    done(planner.do(message["id"], "close"))
    prefix = {mate.name: mate.actor.keys.get().prefix for mate in (planner, coder)}
    events = done(planner.get("events/?limit=5"))
    shown = [(e["kind"], e["passname"], e["keyPrefix"], e.get("from"), e.get("to")) for e in events["items"]]
    assert shown == [
        ("closed", "planner", prefix["planner"], None, None),
        ("completed", "coder", prefix["coder"], "delivered", "completed"),
        ("rejected", "planner", prefix["planner"], None, None),
        ("delivered", "coder", prefix["coder"], "pending", "delivered"),
        ("sent", "planner", prefix["planner"], None, None),
    ]
    assert "nextCursor" in events
    own = done(coder.get(f"messages/{message['id']}/events/"))["items"]
    assert [event["kind"] for event in own] == ["sent", "delivered", "completed", "closed"]
    assert {event["messageId"] for event in own} == {message["id"]}
    assert [e["kind"] for e in done(planner.get("events/?kind=rejected"))["items"]] == ["rejected"]
    assert len(done(planner.get("events/?passname=coder&kind=joined"))["items"]) == 1
    problem(planner.get("events/?kind=x"), 400, "invalid-input", "kind")


def test_events__pages_hold_each_once(planner: Mate, coder: Mate) -> None:
    seen: list[str] = []
    cursor = ""
    while True:
        page = done(planner.get(f"events/?limit=3{cursor}"))
        seen += [event["kind"] + event["passname"] for event in page["items"]]
        planner.send()
        if "nextCursor" not in page:
            break
        cursor = f"&cursor={page['nextCursor']}"
    assert len(seen) == len(set(seen)) == 8


def test_incidents__count_by_prefix_reason_and_minute(inbox: Inbox, planner: Mate, coder: Mate) -> None:
    prefix = coder.actor.keys.get().prefix
    guess = Api(f"wfk_{prefix}_{SECRET}")
    for _ in range(3):
        problem(guess.get("/api/inboxes/release/queue"), 401, "unauthenticated")
    problem(coder.get("queue", X_Passname="boss"), 403, "passname-mismatch")
    freeze_actor(organization=inbox.organization, passname="coder")
    problem(coder.get("queue"), 403, "frozen")
    revoke_key(organization=inbox.organization, prefix=prefix)
    problem(coder.get("queue"), 401, "key-revoked")
    reader = admit(inbox, "reader", scope="read")
    problem(reader.try_send(), 403, "not-granted")
    found = done(planner.get("incidents/"))["items"]
    counted = {(row["prefix"], row["reason"]): (row["count"], row.get("passname")) for row in found}
    assert counted == {
        (prefix, "unauthenticated"): (3, "coder"),
        (prefix, "passname-mismatch"): (1, "coder"),
        (prefix, "frozen"): (1, "coder"),
        (prefix, "key-revoked"): (1, "coder"),
        (reader.actor.keys.get().prefix, "not-granted"): (1, "reader"),
    }
    assert SECRET not in str(found) and coder.key not in str(found)


def test_incidents__of_others_are_not_shown(inbox: Inbox, planner: Mate, elsewhere: Mate) -> None:
    Api(f"wfk_{elsewhere.actor.keys.get().prefix}_{SECRET}").get("/api/inboxes/release/queue")
    Api(f"wfk_000000000000_{SECRET}").get(
        "/api/inboxes/release/queue"
    )  # two organizations have such an inbox
    Api("rubbish").get("/api/sessions")
    assert done(planner.get("incidents/"))["items"] == []
    assert CredentialIncident.objects.count() == 3
    assert [row["count"] for row in done(elsewhere.get("incidents/"))["items"]] == [1]


def test_incidents__with_keys_of_nobody_belong_to_the_inbox_that_was_called(planner: Mate) -> None:
    Api(f"wfk_000000000000_{SECRET}").get("/api/inboxes/release/queue")
    (row,) = done(planner.get("incidents/"))["items"]
    assert (row["prefix"], row["reason"], "passname" in row) == ("000000000000", "unauthenticated", False)


def test_flood__costs_no_write_per_call(
    db: None, counter: Counter, django_assert_max_num_queries: Any
) -> None:
    refusal = KeyRefusal(reason="unauthenticated", path="", prefix="0" * 12)
    for _ in range(EACH):
        counter.add(refusal)
    with django_assert_max_num_queries(20):
        for _ in range(1000):
            counter.add(refusal)
    counter.flush()
    assert CredentialIncident.objects.get().count == 1000 + EACH


def test_flood__of_invented_prefixes_fills_no_database(db: None, counter: Counter) -> None:
    for number in range(500):
        counter.add(KeyRefusal(reason="unauthenticated", path="", prefix=f"{number:012x}"))
    counter.flush()
    rows = CredentialIncident.objects
    assert rows.count() <= UNKNOWN_ROWS + 1
    assert sum(rows.values_list("count", flat=True)) == 500
    assert rows.get(prefix="").count >= 500 - UNKNOWN_ROWS


def test_rows__beyond_the_cap_are_dropped(
    db: None, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incidents, "KEPT", 3)
    for number in range(10):
        counter.add(KeyRefusal(reason="frozen", path="", prefix=f"{number:012x}"))
    incidents._prune()
    assert CredentialIncident.objects.count() == 3


def test_database_that_refuses__fails_no_call_and_is_left_alone(
    planner: Mate, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []

    def fail(*args: Any) -> None:
        tried.append(1)
        raise DatabaseError("locked")

    monkeypatch.setattr(incidents, "_count", fail)
    for _ in range(5):
        problem(Api(f"wfk_000000000000_{SECRET}").get("/api/inboxes/release/queue"), 401, "unauthenticated")
    assert len(tried) == 1


def test_counter__counts_every_one_of_many_threads(counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[int] = []
    monkeypatch.setattr(incidents, "_count", lambda minute, refusal, count: written.append(count))
    monkeypatch.setattr(incidents, "_prune", lambda: None)
    refusal = KeyRefusal(reason="frozen", path="", prefix="0" * 12)
    threads = [threading.Thread(target=lambda: [counter.add(refusal) for _ in range(500)]) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counter.flush()
    assert sum(written) == 4000
