"""Sending twice: folded by content within the window, and by Idempotency-Key for a day."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import pytest

from messaging.inbox.models import Inbox, Message
from messaging.inbox.services.opening import set_window
from tests.clients import problem
from tests.messaging.inbox.conftest import Mate, check_counters, done
from workforce import clock
from workforce.models import IdempotencyRecord

Unchanged = Callable[..., AbstractContextManager[None]]


def test_equal_send__is_answered_with_the_first(
    planner: Mate, coder: Mate, nothing_written: Unchanged
) -> None:
    first = done(planner.try_send({"a": 1, "b": [1, 2]}, to=["coder", "Boss"]), 201)
    coder.pull()
    with nothing_written():
        again = done(planner.try_send({"b": [1, 2], "a": 1}, to=["boss", "coder", "boss"]))
    assert again["duplicate"] is True
    assert {key: again[key] for key in first if key != "recipients"} == {
        key: first[key] for key in first if key != "recipients"
    }
    assert {entry["passname"]: entry["state"] for entry in again["recipients"]} == {
        "boss": "pending",
        "coder": "delivered",
    }
    planner.inbox.refresh_from_db()
    assert (planner.inbox.message_seq, planner.inbox.duplicates) == (1, 1)
    check_counters(planner.inbox)


@pytest.mark.parametrize(
    "other",
    [
        {"type": "info"},
        {"topic": "other"},
        {"payload": 1},
        {"payload": 1.0},
        {"payload": "1"},
        {"payload": [True]},
        {"payload": {"a": 1}},
        {"payload": {"b": None}},
        {"to": ["coder"]},
        {"to": ["boss", "coder", "reviewer"]},
        {"approval": True},
    ],
)
def test_another_send__is_another(planner: Mate, other: dict[str, Any]) -> None:
    done(planner.try_send(True), 201)
    done(planner.try_send(**{"payload": True, **other}), 201)


def test_numbers__one_and_one_point_nought_and_true_differ(planner: Mate) -> None:
    assert [done(planner.try_send(payload), 201)["seq"] for payload in (1, 1.0, True, "1", [1], [[1]])] == [
        1, 2, 3, 4, 5, 6,
    ]  # fmt: skip


def test_sender_and_reply_target__are_part_of_it(planner: Mate, coder: Mate, boss: Mate) -> None:
    root = done(planner.try_send(to=["coder", "boss"]), 201)
    done(coder.try_send(to=["boss"]), 201)
    done(planner.try_send(to=["coder", "boss"], replyingTo=root["id"]), 201)


def test_window__is_over(planner: Mate, monkeypatch: pytest.MonkeyPatch) -> None:
    done(planner.try_send(), 201)
    start = clock.now()
    monkeypatch.setattr(clock, "now", lambda: start + timedelta(seconds=595))
    done(planner.try_send())
    monkeypatch.setattr(clock, "now", lambda: start + timedelta(seconds=601))
    done(planner.try_send(), 201)


def test_window__of_the_inbox(inbox: Inbox, planner: Mate, monkeypatch: pytest.MonkeyPatch) -> None:
    set_window(inbox=inbox, seconds=0)
    done(planner.try_send(), 201)
    done(planner.try_send(), 201)
    set_window(inbox=inbox, seconds=86_400)
    start = clock.now()
    monkeypatch.setattr(clock, "now", lambda: start + timedelta(hours=23))
    assert done(planner.try_send())["seq"] == 1


def test_allow_duplicate__sends_and_is_never_the_original(planner: Mate) -> None:
    done(planner.try_send(allowDuplicate=True), 201)
    second = done(planner.try_send(), 201)
    done(planner.try_send(allowDuplicate=True), 201)
    assert done(planner.try_send())["id"] == second["id"]


def key(name: str) -> dict[str, str]:
    return {"Idempotency_Key": name}


def test_key__answers_the_first_whatever_else_says(inbox: Inbox, planner: Mate) -> None:
    set_window(inbox=inbox, seconds=0)
    first = done(planner.try_send(allowDuplicate=True, headers=key("k1")), 201)
    again = done(planner.try_send(allowDuplicate=True, headers=key("k1")))
    assert (again["id"], again["duplicate"]) == (first["id"], True)
    done(planner.try_send(allowDuplicate=True, headers=key("k2")), 201)
    inbox.refresh_from_db()
    assert (inbox.message_seq, inbox.retries, inbox.duplicates) == (2, 1, 0)


def test_key__with_another_content_names_the_first(planner: Mate, unmoved: Unchanged) -> None:
    first = done(planner.try_send(headers=key("k1")), 201)
    with unmoved():
        body = problem(
            planner.try_send("other", headers=key("k1")), 409, "idempotency-key-reused", first["id"]
        )
    assert body["id"] == first["id"]


def test_key__is_the_actors_own(planner: Mate, coder: Mate) -> None:
    assert planner.actor.user == coder.actor.user
    first = done(planner.try_send(headers=key("k1")), 201)
    assert done(coder.try_send(headers=key("k1")), 201)["id"] != first["id"]


def test_key__of_a_refused_send_is_free(planner: Mate, nothing_written: Unchanged) -> None:
    with nothing_written(InboxEvent=1):
        problem(planner.try_send(to=["codr"], headers=key("k1")), 422, "unknown-passname")
    done(planner.try_send(to=["coder"], headers=key("k1")), 201)


def test_key__that_meets_an_equal_message_is_folded_too(planner: Mate) -> None:
    first = done(planner.try_send(), 201)
    assert done(planner.try_send(headers=key("k1")))["id"] == first["id"]
    assert done(planner.try_send(headers=key("k1")))["id"] == first["id"]
    assert Message.objects.count() == 1


def test_key__is_free_after_a_day(planner: Mate) -> None:
    done(planner.try_send(headers=key("k1")), 201)
    old = clock.now() - timedelta(hours=25)
    IdempotencyRecord.objects.update(created_at=old)
    Message.objects.update(created_at=old)
    assert done(planner.try_send("other", headers=key("k1")), 201)["seq"] == 2


@pytest.mark.parametrize("value", ["", "x" * 256, "a\tb"])
def test_key__out_of_form(planner: Mate, value: str) -> None:
    problem(planner.try_send(headers=key(value)), 400, "invalid-input", "Idempotency-Key")
