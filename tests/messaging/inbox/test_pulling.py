"""The inbound view: pulling delivers, looking changes nothing, pages hold each item once."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection

from messaging.inbox.models import InboxEvent, Participation
from tests.clients import problem
from tests.messaging.inbox.conftest import Mate, check_counters, done
from workforce import clock

Unchanged = Callable[..., AbstractContextManager[None]]
PREVIEW = [
    "id", "seq", "type", "topic", "sender", "replyingTo", "threadId", "createdAt", "excerpt", "payloadSize",
    "state", "deliveredAt",
]  # fmt: skip


def test_pull__delivers_once_and_answers_again(planner: Mate, coder: Mate) -> None:
    message = planner.send({"text": "x" * 500})
    first = coder.pull()
    assert list(first) == ["inbox", "passname", "items", "counts", "totalMessages", "newestSeq"]
    (item,) = first["items"]
    assert list(item) == PREVIEW
    assert (item["id"], item["state"], len(item["excerpt"])) == (message["id"], "delivered", 200)
    assert item["excerpt"] == ('{"text":"' + "x" * 500)[:200]
    assert first["counts"] == {"open": 1, "pending": 0, "delivered": 1}
    assert coder.pull() == first
    assert InboxEvent.objects.filter(kind="delivered").count() == 1
    check_counters(planner.inbox)


def test_pull__an_empty_answer_can_be_believed(planner: Mate, coder: Mate) -> None:
    planner.send(to=["boss"])
    assert coder.pull() == {
        "inbox": "release",
        "passname": "coder",
        "items": [],
        "counts": {"open": 0, "pending": 0, "delivered": 0},
        "totalMessages": 1,
        "newestSeq": 1,
    }


def test_queue__changes_nothing(
    planner: Mate, coder: Mate, nothing_written: Unchanged, unmoved: Unchanged
) -> None:
    planner.send()
    with nothing_written(), unmoved():
        queue = coder.queue()
        assert queue["counts"] == {"open": 1, "pending": 1, "delivered": 0}
        assert queue["items"][0]["deliveredAt"] is None
    assert Participation.objects.get(actor=coder.actor).last_pulled_at is None


@pytest.mark.parametrize("order", ["oldest", "newest"])
@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
def test_pages__hold_each_item_once_under_arrivals(
    planner: Mate, coder: Mate, order: str, limit: int
) -> None:
    sent = [planner.send(n)["id"] for n in range(7)]
    seen: list[str] = []
    page = coder.pull(limit=limit, order=order)
    while True:
        seen += [item["id"] for item in page["items"]]
        if "nextCursor" not in page:
            break
        if order == "newest":
            planner.send("later")
        page = coder.pull(limit=limit, order=order, cursor=page["nextCursor"])
    assert seen == (sent if order == "oldest" else sent[::-1])
    check_counters(planner.inbox)


def test_pull__delivers_only_what_it_answers(planner: Mate, coder: Mate) -> None:
    for n in range(5):
        planner.send(n)
    page = coder.pull(limit=2)
    assert page["counts"] == {"open": 5, "pending": 3, "delivered": 2}
    assert [item["state"] for item in coder.queue()["items"]] == ["delivered"] * 2 + ["pending"] * 3


@pytest.mark.parametrize("budget", [500, 900, 1500, 3000, 5000])
def test_budget__bounds_the_answer_and_says_what_is_left_out(planner: Mate, coder: Mate, budget: int) -> None:
    for n in range(10):
        planner.send({"é": "ü" * 300, "n": n})
    answer = coder.post("pull/", {"budgetChars": budget, "limit": 8})
    page = done(answer)
    assert len(answer.content.decode()) <= budget
    kept = len(page["items"])
    assert kept + page.get("leftOut", 0) == 8
    assert page["counts"]["delivered"] == kept
    seen = [item["seq"] for item in page["items"]]
    while "nextCursor" in page:
        page = coder.pull(cursor=page["nextCursor"])
        seen += [item["seq"] for item in page["items"]]
    assert seen == list(range(1, 11))
    check_counters(planner.inbox)


def test_filters(planner: Mate, coder: Mate, reviewer: Mate) -> None:
    planner.send(1)
    planner.send(2, type="info", topic="other")
    reviewer.send(3, topic="other")
    by = {
        "type=info": [2],
        "topic=other": [2, 3],
        "sender=planner": [1, 2],
        "sender=Planner&topic=other": [2],
        "sender=nobody": [],
        "topic=none": [],
    }
    for query, seqs in by.items():
        assert [item["seq"] for item in coder.queue(f"?{query}")["items"]] == seqs, query
        body = dict(part.split("=") for part in query.split("&"))
        assert [item["seq"] for item in coder.pull(**body)["items"]] == seqs, query


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 101}, "limit"),
        ({"limit": "20"}, "limit"),
        ({"limit": True}, "limit"),
        ({"order": "up"}, "order"),
        ({"type": "order"}, "type"),
        ({"topic": "No"}, "topic"),
        ({"budgetChars": 499}, "budgetChars"),
        ({"cursors": "x"}, "cursors"),
        ({"wait": 5}, "wait"),
    ],
)
def test_pull__out_of_shape(coder: Mate, body: dict[str, Any], path: str) -> None:
    refusal = problem(coder.post("pull/", body), 400, "invalid-input")
    assert path in [entry["path"] for entry in refusal["errors"]]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("limit=0", "invalid-input"),
        ("order=x", "invalid-input"),
        ("type=x", "invalid-input"),
        ("budgetChars=x", "invalid-input"),
        ("wait=61", "invalid-input"),
        ("wait=-1", "invalid-input"),
        ("state=pending", "unknown-parameter"),
        ("cursor=", "invalid-cursor"),
        ("cursor=AAAA", "invalid-cursor"),
    ],
)
def test_queue__out_of_shape(coder: Mate, query: str, code: str) -> None:
    problem(coder.get(f"queue/?{query}"), 400, code)


def test_cursor__of_another_queue_or_order_is_foreign(planner: Mate, coder: Mate, reviewer: Mate) -> None:
    for n in range(3):
        planner.send(n)
    cursor = coder.pull(limit=1)["nextCursor"]
    problem(reviewer.post("pull/", {"cursor": cursor}), 400, "invalid-cursor")
    problem(coder.post("pull/", {"cursor": cursor, "order": "newest"}), 400, "invalid-cursor")
    problem(coder.post("pull/", {"cursor": cursor[:-1]}), 400, "invalid-cursor")
    problem(coder.get(f"sent/?cursor={cursor}"), 400, "invalid-cursor")
    assert [item["seq"] for item in coder.queue(f"?cursor={cursor}")["items"]] == [2, 3]


def test_last_pulled__is_at_most_a_minute_old(
    planner: Mate, coder: Mate, monkeypatch: pytest.MonkeyPatch
) -> None:
    coder.pull()
    place = Participation.objects.get(actor=coder.actor)
    first = place.last_pulled_at
    assert first is not None
    coder.pull()
    place.refresh_from_db()
    assert place.last_pulled_at == first
    later = clock.now() + timedelta(seconds=61)
    monkeypatch.setattr(clock, "now", lambda: later)
    coder.pull()
    place.refresh_from_db()
    assert place.last_pulled_at == later


def test_access__says_who_one_is(planner: Mate, boss: Mate) -> None:
    planner.send()
    answer = done(boss.get("access/"))
    assert {
        name: answer[name] for name in ("organization", "inbox", "passname", "kind", "scopes", "counts")
    } == {
        "organization": "acme",
        "inbox": "release",
        "passname": "boss",
        "kind": "person",
        "scopes": ["read", "write"],
        "counts": {"open": 1, "pending": 1, "delivered": 0},
    }
    assert answer["keyPrefix"] == boss.actor.keys.get().prefix
    assert boss.key not in json.dumps(answer)


def test_queries__of_a_pull(planner: Mate, coder: Mate, django_assert_num_queries: Any) -> None:
    for n in range(30):
        planner.send(n)
    coder.pull(limit=1)
    # key, place, page, begin, locked, delivered and events (one on PostgreSQL), counted, end
    with django_assert_num_queries(8 if connection.vendor == "postgresql" else 9):
        coder.pull(limit=20)
    for n in range(30, 60):
        planner.send(n)
    coder.pull(limit=100)
    with django_assert_num_queries(3):  # key, place, page
        coder.pull(limit=20)
    with django_assert_num_queries(3):
        coder.queue("?limit=20&topic=plan")
