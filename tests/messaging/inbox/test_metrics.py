"""The figures of an inbox: each by its definition, at a constant number of queries, and nobody's name in Prometheus."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.test import Client, override_settings
from pydantic import TypeAdapter

from messaging.inbox.api.metricschemas import MetricsAnswer
from messaging.inbox.models import InboxEvent, Message, Receipt
from messaging.inbox.selectors import flow as flow_module
from messaging.inbox.selectors import owing as owing_module
from messaging.inbox.selectors.flow import flow_of
from messaging.inbox.selectors.owing import open_work
from messaging.inbox.services.opening import create_inbox, leave_inbox
from messaging.inbox.statistics import Spread, counts_up_to, share
from tests.clients import Api
from tests.messaging.inbox.conftest import Mate, admit, done
from workforce import clock


def metrics(mate: Mate, query: str = "") -> dict[str, Any]:
    body = done(mate.get(f"metrics/{query}"))
    TypeAdapter(MetricsAnswer).validate_python(body)
    return body


def age(message: dict[str, Any], **ago: float) -> None:
    """Let the message be older, with its receipts."""
    span = timedelta(**ago)
    Message.objects.filter(pk=message["id"]).update(created_at=F("created_at") - span)
    Receipt.objects.filter(message=message["id"]).update(created_at=F("created_at") - span)


def test_spread__is_of_the_values_themselves() -> None:
    assert Spread.of([]) == Spread()
    assert Spread.of([7]) == Spread(1, 7, 7, 7, 7)
    assert Spread.of(range(100, 0, -1)) == Spread(100, 50, 95, 100, 5050)
    assert Spread.of([1, 2]).p50 == 1
    assert counts_up_to([0, 1, 10, 11], [1, 10]) == [2, 1, 1]
    assert (share(1, 3), share(0, 0)) == (0.3333, None)


def test_empty__says_nothing_where_nothing_is(planner: Mate) -> None:
    body = metrics(planner)
    assert body["receipts"] == {"open": 0, "pending": 0, "delivered": 0}
    assert body["openRequests"] == {"count": 0, "serviceTarget": 86_400_000, "pastServiceTarget": 0}
    assert body["byPassname"] == body["messagesPerHour"] == []
    assert body["sends"] == {"messages": 0, "duplicates": 0, "retries": 0}
    assert body["creationToDelivery"] == body["deliveryToCompletion"] == {"count": 0}
    assert body["approvalWait"] == {"count": 0, "waiting": 0}
    assert body["clarification"] == {"requests": 0, "clarified": 0}
    assert body["payloadSize"] == {"count": 0, "distribution": []}


def test_open__how_much_how_old_and_owed_by_whom(planner: Mate, coder: Mate, boss: Mate) -> None:
    old = planner.send("old", to=["coder", "boss"])
    late = planner.send("late", to=["coder"])
    settled = planner.send("settled", to=["boss"])
    planner.send("for information", type="info", to=["reviewer"])
    age(old, hours=30), age(late, hours=25), age(settled, hours=50)
    done(planner.do(settled["id"], "close"))
    coder.pull(limit=1)
    body = metrics(boss)
    assert body["receipts"] == {"open": 5, "pending": 4, "delivered": 1}
    found = body["openRequests"]
    assert (found["count"], found["pastServiceTarget"], found["oldest"]["id"]) == (2, 2, old["id"])
    assert abs(found["oldest"]["age"] - 30 * 3600_000) < 60_000
    assert [(owed["passname"], owed["pending"], owed["delivered"]) for owed in body["byPassname"]] == [
        ("boss", 2, 0),
        ("coder", 1, 1),
        ("reviewer", 1, 0),
    ]
    assert "oldestRequestAt" not in body["byPassname"][2]
    with override_settings(INBOX_SERVICE_TARGET=28 * 3600):
        assert metrics(boss)["openRequests"]["pastServiceTarget"] == 1
    leave_inbox(inbox=planner.inbox, passname="coder")
    assert {owed["passname"]: owed["state"] for owed in metrics(boss)["byPassname"]}["coder"] == "left"


def test_times__from_sending_to_the_pull_to_completion(planner: Mate, coder: Mate, boss: Mate) -> None:
    first, second = planner.send("1", to=["coder", "boss"]), planner.send("2", to=["coder"])
    coder.pull()
    done(coder.do(first["id"], "complete"))
    done(coder.do(second["id"], "complete"))
    done(boss.do(first["id"], "complete"))  # never pulled: neither delivered before nor timed
    for message, delivered, ended in ((first, 10, 40), (second, 20, 90)):
        mine = Receipt.objects.filter(message=message["id"], recipient=coder.actor)
        sent = mine.get().created_at
        mine.update(
            delivered_at=sent + timedelta(seconds=delivered), closed_at=sent + timedelta(seconds=ended)
        )
    body = metrics(planner)
    assert body["creationToDelivery"] == {"count": 2, "p50": 10_000, "p95": 20_000, "largest": 20_000}
    assert body["deliveryToCompletion"] == {"count": 2, "p50": 30_000, "p95": 70_000, "largest": 70_000}
    assert body["completedRequests"] == {"count": 2, "byTopic": [{"topic": "plan", "count": 2}]}


def test_quality__duplicates_retries_rejections_and_incidents(planner: Mate, coder: Mate) -> None:
    planner.try_send("once", topic="a"), planner.try_send("once", topic="a")
    for _ in range(2):
        planner.try_send("keyed", headers={"Idempotency-Key": "k"})
    planner.try_send("no", to=["nobody-here"]), planner.try_send("no", to=["planner"])
    Api(coder.key[:-1] + "_").get(f"{coder.path}/access")
    body = metrics(planner)
    assert body["sends"] == {
        "messages": 2,
        "duplicates": 1,
        "retries": 1,
        "duplicateRate": 0.25,
        "retryRate": 0.25,
    }
    assert body["rejections"]["count"] == 2
    assert {entry["code"] for entry in body["rejections"]["byCode"]} == {"unknown-passname", "no-recipients"}
    assert body["incidents"] == {"count": 1, "byCode": [{"code": "unauthenticated", "count": 1}]}


def test_clarification__is_a_question_before_completion(planner: Mate, coder: Mate) -> None:
    asked, plain, answered, late = (planner.send(name, to=["coder"]) for name in "abcd")
    coder.send("Which one?", type="message", replyingTo=asked["id"], to=["planner"])
    coder.send("On it.", type="info", replyingTo=plain["id"], to=["planner"])
    planner.send("And this.", type="message", replyingTo=plain["id"], to=["coder"])
    answer = coder.send("Here.", type="message", replyingTo=answered["id"], to=["planner"])
    done(coder.do(answered["id"], "complete", {"replyId": answer["id"]}))
    done(coder.do(late["id"], "complete"))
    coder.send("Was it right?", type="message", replyingTo=late["id"], to=["planner"])
    assert metrics(planner)["clarification"] == {"requests": 4, "clarified": 1, "rate": 0.25}


def test_approval__how_long_it_took_and_who_waits(planner: Mate, boss: Mate) -> None:
    given, open_ = (planner.send(name, approval=True, to=["boss"]) for name in "ab")
    age(given, minutes=10), age(open_, minutes=5)
    done(boss.do(given["id"], "complete"))
    found = metrics(planner)["approvalWait"]
    assert (found["count"], found["waiting"]) == (1, 1)
    assert abs(found["p50"] - 600_000) < 30_000
    assert abs(found["oldestWaitingAge"] - 300_000) < 30_000


def test_shape__depth_sizes_receipts_and_hours(planner: Mate, coder: Mate) -> None:
    root = planner.send("x" * 300, topic="a")
    reply = coder.send("y", replyingTo=root["id"], to=["planner"], topic=...)
    planner.send("z", replyingTo=reply["id"], to=["coder"], topic="b")
    age(root, hours=2)
    body = metrics(planner)
    assert body["threadDepth"] == {"count": 3, "p50": 1, "p95": 2, "largest": 2}
    assert body["payloadSize"]["distribution"] == [{"upTo": 256, "count": 2}, {"upTo": 1024, "count": 1}]
    assert body["receiptsPerMessage"]["mean"] == 1.67
    hours = body["messagesPerHour"]
    assert [entry["topic"] for entry in hours] == ["a", "a", "b"]
    assert all(entry["hour"] % 3_600_000 == 0 and entry["count"] == 1 for entry in hours)
    assert metrics(planner, "?hours=1")["window"]["messages"] == 2


@pytest.mark.parametrize("hours", ["0", "721", "x", "-1", "1.5", ""])
def test_hours__out_of_range_are_refused(planner: Mate, hours: str) -> None:
    assert planner.get(f"metrics?hours={hours}").status_code == 400


def test_cost__is_the_same_however_much_there_is(
    planner: Mate, coder: Mate, django_assert_max_num_queries: Any
) -> None:
    for number in range(3):
        asked = planner.send(number)
        coder.send("?", type="message", replyingTo=asked["id"])
    coder.pull()
    with django_assert_max_num_queries(
        12
    ):  # key, place, three of what is open, one of sends, six of what went through
        metrics(planner)


def test_cost__looks_at_no_more_than_its_share(
    planner: Mate, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    for number in range(4):
        planner.send(number)
    monkeypatch.setattr(owing_module, "LOOKED_AT", 3)
    work = open_work(planner.inbox, now=clock.now())
    assert (work.requests, work.is_capped) == (3, True)
    flow = flow_of(planner.inbox, now=clock.now(), hours=24, sample=2)
    oldest = Message.objects.get(inbox=planner.inbox, seq=3)
    assert (flow.messages, flow.is_capped, flow.since) == (2, True, oldest.created_at)
    assert flow_module.SAMPLE >= 1000


def test_walls__of_metrics(planner: Mate, elsewhere: Mate) -> None:
    other = create_inbox(organization=planner.inbox.organization, slug="other")
    assert planner.api.get(f"/api/inboxes/{other.slug}/metrics").status_code == 404
    assert Api(None).get(f"{planner.path}/metrics").status_code == 401


def test_prometheus__has_the_figures_and_no_names(planner: Mate, coder: Mate, elsewhere: Mate) -> None:
    asked = planner.send("A payload that nobody else reads.", to=["coder"])
    planner.try_send("no", to=["nobody-here"])
    coder.pull()
    coder.send("Why?", type="message", replyingTo=asked["id"], to=["planner"])
    done(coder.do(asked["id"], "complete"))
    planner.send("Open.", to=["coder"], approval=True)
    with override_settings(METRICS_TOKEN="secret"):
        assert Client().get("/metrics").status_code == 401
        answer = Client().get("/metrics", headers={"authorization": "Bearer secret"})
    text = answer.content.decode()
    here = '{inbox="release",organization="acme"'
    lines = {
        line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if "#" not in line
    }
    assert lines[f"workforce_inbox_open_requests{here}}}"] == 1
    assert lines[f'workforce_inbox_receipts{here},state="pending"}}'] == 2
    assert (
        lines['workforce_inbox_rejections{code="unknown-passname",inbox="release",organization="acme"}'] == 1
    )
    assert lines[f'workforce_inbox_delivery_seconds{here},quantile="0.5"}}'] >= 0
    assert lines[f"workforce_inbox_clarification_ratio{here}}}"] == 0.5
    assert 'organization="umbrella"' in text
    mine = [line for line in text.splitlines() if line.startswith("workforce_inbox")]
    for name in (
        *InboxEvent.objects.values_list("passname", flat=True),
        "payload that",
        "nobody-here",
        "eve",
    ):
        assert not name or not any(name in line for line in mine), name


def test_prometheus__counts_the_inboxes_it_has_no_time_for(
    planner: Mate, monkeypatch: pytest.MonkeyPatch
) -> None:
    from messaging.inbox.api import prometheus

    admit(create_inbox(organization=planner.inbox.organization, slug="second"), "second-bot")
    monkeypatch.setattr(prometheus, "SECONDS", -1.0)
    with override_settings(METRICS_TOKEN="secret"):
        text = Client().get("/metrics", headers={"authorization": "Bearer secret"}).content.decode()
    assert "workforce_inboxes_left_out 2.0" in text
