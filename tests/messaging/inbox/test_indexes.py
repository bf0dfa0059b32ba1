"""The questions asked all the time are answered from an index, on both databases; how many there are per call."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import QuerySet

from messaging.inbox.api.filters import QueueFilters, SearchFilters
from messaging.inbox.hands import Hand
from messaging.inbox.models import InboxEvent, Message, Receipt
from messaging.inbox.selectors.audit import events_of, events_of_message, incidents_of
from messaging.inbox.selectors.inboxes import access_inbox
from messaging.inbox.selectors.messages import messages_of
from messaging.inbox.selectors.owing import open_requests
from messaging.inbox.selectors.queue import open_receipts
from messaging.inbox.selectors.searching import with_own_state
from messaging.inbox.selectors.sent import sent_by
from messaging.inbox.selectors.threads import thread_of
from tests.messaging.inbox.conftest import Mate, done
from workforce import clock

ROOT = Path(__file__).resolve().parents[3]


def _filtered(filters: Any, rows: QuerySet[Any], **params: str) -> QuerySet[Any]:
    found: QuerySet[Any] = filters(params, queryset=rows).qs
    return found


def questions(hand: Hand) -> dict[str, tuple[str, QuerySet[Any]]]:
    """Each question with the index that answers it."""
    here, mine = messages_of(hand.inbox), open_receipts(hand)
    some = Message(inbox=hand.inbox, thread_id="0" * 32)
    return {
        "pull": ("receipt_open", mine.order_by("seq")[:21]),
        "pull newest": ("receipt_open", mine.order_by("-seq")[:21]),
        "pull by topic": (
            "receipt_open",
            _filtered(QueueFilters, mine, topic="a", type="info").order_by("seq")[:21],
        ),
        "owed in an inbox": (
            "receipt_owed",
            Receipt.objects.filter(Receipt.IS_OPEN, inbox=hand.inbox, type="request").order_by("seq")[:1],
        ),
        "waiting for": ("message_unsettled", sent_by(hand, unsettled=True).order_by("-seq")[:21]),
        "open requests": ("message_open_request", open_requests(hand.inbox).order_by("created_at")[:1]),
        "sent": ("message_by_sender", sent_by(hand, unsettled=False).order_by("-seq")[:21]),
        "history": ("one_message_per_seq", here.order_by("-seq")[:21]),
        "by topic": ("message_by_topic", _filtered(SearchFilters, here, topic="a").order_by("-seq")[:21]),
        "by own state": (
            "receipt_by_state",
            with_own_state(hand, here, "completed").order_by("-own__seq")[:21],
        ),
        "by time": ("message_by_time", Message.objects.filter(inbox=hand.inbox, created_at__lt=clock.EPOCH)),
        "an equal message": (
            "message_by_digest",
            Message.objects.filter(inbox=hand.inbox, digest="a").exclude(digest=""),
        ),
        "a thread": ("message_of_thread", thread_of(hand.inbox, some).order_by("seq")[:21]),
        "replies": ("message_replies", Message.objects.filter(replying_to_id="0" * 32).order_by("seq")),
        "events": ("inbox_event_of_inbox", events_of(hand.inbox).order_by("-id")[:21]),
        "events of a message": ("inbox_event_of_message", events_of_message(some).order_by("id")[:21]),
        "events of a kind": (
            "inbox_event_by_kind",
            InboxEvent.objects.filter(inbox=hand.inbox, kind="rejected", at__gte=clock.now()).order_by(),
        ),
        "incidents": ("incident_newest", incidents_of(hand.inbox).order_by("-id")[:21]),
    }


NAMES = (
    "pull", "pull newest", "pull by topic", "owed in an inbox", "waiting for", "open requests", "sent", "history",
    "by topic", "by own state", "by time", "an equal message", "a thread", "replies", "events", "events of a message",
    "events of a kind", "incidents",
)  # fmt: skip


@pytest.fixture
def hand(coder: Mate) -> Hand:
    from workforce.services.authenticating import authenticate_key

    return access_inbox(authenticate_key(text=coder.key, passname_header=None), "release")


@pytest.mark.parametrize("name", NAMES)
def test_question__is_served_by_its_index(hand: Hand, name: str) -> None:
    assert tuple(questions(hand)) == NAMES
    index, rows = questions(hand)[name]
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:  # an empty table is always cheaper to read whole
            cursor.execute("SET LOCAL enable_seqscan = off")
        plan = rows.explain()
        assert "Seq Scan" not in plan or "Index" in plan, plan
        return
    assert index in rows.explain() or (
        index == "one_message_per_seq" and "sqlite_autoindex_messaging_message" in rows.explain()
    ), rows.explain()


def test_words__are_served_by_trigrams_on_postgresql(db: None) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("the index is PostgreSQL's")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    plan = _filtered(SearchFilters, Message.objects.order_by(), q="TASK-17").explain()
    assert "message_words" in plan, plan


def test_queries__of_a_send(planner: Mate, django_assert_num_queries: Any) -> None:
    parent = planner.send()
    # key, place, begin, number, equal ones, recipients, message, receipts, counts, event, end; those that write are
    # one on PostgreSQL, since the inbox is locked meanwhile
    writes = 1 if connection.vendor == "postgresql" else 4
    with django_assert_num_queries(7 + writes):
        done(planner.try_send("once"), 201)
    with django_assert_num_queries(8 + writes):  # and the parent
        done(planner.try_send("reply", replyingTo=parent["id"]), 201)
    with django_assert_num_queries(10):  # rolled back, read, and counted
        done(planner.try_send("once"))


def test_queries__of_a_transition(planner: Mate, coder: Mate, django_assert_num_queries: Any) -> None:
    message = planner.send()
    coder.queue()
    # key, place, begin, receipt, moved, message, counts, event, end
    with django_assert_num_queries(9):
        done(coder.do(message["id"], "complete"))
    with django_assert_num_queries(5):
        done(coder.do(message["id"], "complete"))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("INBOX_MAX_PAYLOAD", "0"),
        ("INBOX_MAX_PAYLOAD", "1048576"),
        ("INBOX_MAX_PAYLOAD", "256K"),
        ("INBOX_DUPLICATE_WINDOW", "-1"),
        ("INBOX_DUPLICATE_WINDOW", "86401"),
        ("INBOX_SERVICE_TARGET", "soon"),
        ("INBOX_SERVICE_TARGET", "0"),
        ("RETAIN_WORKFLOW_DAYS", "-1"),
        ("RETAIN_GOVERNANCE_DAYS", "a year"),
        ("EMAIL_URL", "pigeon://user:secret@loft"),
    ],
)
def test_settings__a_bad_value_stops_the_start_and_is_named(name: str, value: str) -> None:
    started = subprocess.run(
        [sys.executable, "-c", "import workforce_site.settings"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "SECRET_KEY": "x", name: value},
        capture_output=True,
        text=True,
    )
    assert started.returncode != 0
    assert name in started.stderr.splitlines()[-1]
