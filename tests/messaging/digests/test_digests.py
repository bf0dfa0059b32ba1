"""Digests: metadata only, once each, nothing when nothing is new, tried again when a channel fails."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test import Client

from messaging import tasks
from messaging.digests import sending
from messaging.digests.models import DigestSubscription
from messaging.digests.periods import begin_of, end_of, pause_after
from messaging.digests.sending import send_due
from messaging.digests.subscribing import Subscriber
from messaging.digests.subscribing import subscribe as subscribe_as
from messaging.inbox.models import Participation, Receipt
from messaging.inbox.services.opening import leave_inbox
from tests.clients import Api
from tests.factories import make_user
from tests.fakes.telegram import FakeTelegram
from tests.messaging.digests.conftest import ask, make_due, subscribe
from tests.messaging.inbox.conftest import Mate, done
from workforce import clock
from workforce.dispatch import sweep
from workforce.models import Actor, Membership, User
from workforce.services.actors import freeze_actor, retire_actor
from workforce.services.organizations import ensure_membership


def test_periods__are_whole_hours_days_and_weeks() -> None:
    moment = datetime(2026, 3, 4, 10, 20, 30, 5, tzinfo=UTC)  # a Wednesday
    assert begin_of(moment, "hourly") == datetime(2026, 3, 4, 10, tzinfo=UTC)
    assert end_of(moment, "hourly") == datetime(2026, 3, 4, 11, tzinfo=UTC)
    assert end_of(moment, "daily") == datetime(2026, 3, 5, tzinfo=UTC)
    assert end_of(moment, "weekly") == datetime(2026, 3, 9, tzinfo=UTC)
    assert end_of(datetime(2026, 3, 9, tzinfo=UTC), "weekly") == datetime(2026, 3, 16, tzinfo=UTC)
    assert [pause_after(n).seconds // 60 for n in (1, 2, 3, 4, 5, 6, 60)] == [1, 5, 15, 60, 180, 360, 360]


def test_email__counts_ages_names_and_a_link(planner: Mate, coder: Mate, boss: Mate) -> None:
    subscribe(coder)
    for number in range(3):
        planner.send(number, to=["coder"])
    boss.send("x", type="info", topic="build", to=["coder"])
    make_due()
    assert send_due() == 1
    (sent,) = mail.outbox
    assert sent.to == ["ops@example.com"]
    assert sent.subject == "Workforce, hourly: 4 open in release"
    assert "3 × request in plan, oldest" in sent.body
    assert "1 × info in build" in sent.body
    assert "from boss, planner" in sent.body
    assert "https://workforce.example/api/inboxes/release/queue" in sent.body
    row = DigestSubscription.objects.get()
    assert (row.attempts, row.error, row.sending_until) == (0, "", None)
    assert row.last_sent_at is not None
    assert row.next_at > clock.now()
    assert send_due() == 0


def test_nothing_of_what_was_written_leaves(planner: Mate, coder: Mate, settings: Any) -> None:
    words = "classified-sentence report-2026.xlsx geheim"
    subscribe(coder)
    subscribe(coder, channel="telegram", address="77")
    root = planner.send({"text": words, "fileName": "report-2026.xlsx", "files": [words]}, to=["coder"])
    coder.send(words, replyingTo=root["id"], to=["planner"], type="message")
    planner.send(words, replyingTo=root["id"], to=["coder"], topic=...)
    make_due()
    with FakeTelegram() as fake:
        settings.TELEGRAM_API_URL = fake.url
        assert send_due() == 2
    said = str([mail.outbox[0].message().as_string(), fake.sent]).lower()
    assert "request in plan" in said
    for part in (*words.split(), "xlsx", "classified", "filename", root["id"], coder.key, planner.key):
        assert part.lower() not in said, part


def test_nothing_is_sent_when_nothing_happened(planner: Mate, coder: Mate) -> None:
    subscribe(coder)
    make_due()
    assert send_due() == 0
    assert mail.outbox == []
    assert DigestSubscription.objects.get().next_at > clock.now()


@pytest.mark.parametrize("end", ["complete", "archive", "close", "leave", "freeze", "retire", "deactivate"])
def test_nothing_of_an_item_that_is_closed_or_of_one_who_is_gone(
    planner: Mate, coder: Mate, end: str
) -> None:
    subscribe(coder)
    message = planner.send(to=["coder"])
    make_due()
    if end in ("complete", "archive"):
        done(coder.do(message["id"], end))
    elif end == "close":
        done(planner.do(message["id"], "close"))
    elif end == "leave":
        leave_inbox(inbox=planner.inbox, passname="coder")
    elif end == "deactivate":
        User.objects.filter(pk=coder.actor.user_id).update(is_active=False)
    else:
        act = freeze_actor if end == "freeze" else retire_actor
        act(organization=planner.inbox.organization, passname="coder")
    assert send_due() == 0
    assert mail.outbox == []


def test_an_actors_is_of_its_own_queue_only(planner: Mate, coder: Mate, elsewhere: Mate) -> None:
    subscribe(coder)
    planner.send(to=["boss"])
    make_due()
    assert send_due() == 0
    planner.send(to=["coder", "boss"])
    make_due()
    assert send_due() == 1
    assert "1 open in release" in mail.outbox[0].subject


def test_a_users_is_of_its_organization_when_it_runs_that(planner: Mate, elsewhere: Mate) -> None:
    user = make_user("olga", email="olga@example.com")
    ensure_membership(user=user, organization=planner.inbox.organization, role=Membership.Role.OPERATOR)
    client = Client()
    client.force_login(user)
    body = {"channel": "email", "cadence": "daily"}
    assert client.put("/api/digests", body, content_type="application/json").json()["address"] == user.email
    planner.send(to=["coder", "boss"])
    DigestSubscription.objects.update(
        covered_until=clock.now() - timedelta(days=3), next_at=clock.now() - timedelta(1)
    )
    Receipt.objects.update(created_at=clock.now() - timedelta(days=2))
    assert send_due() == 1
    assert "1 × request in plan" in mail.outbox[0].body
    assert "/admin/messaging/inbox/" in mail.outbox[0].body
    Membership.objects.filter(user=user).delete()
    DigestSubscription.objects.update(
        covered_until=clock.now() - timedelta(days=3), next_at=clock.now() - timedelta(1)
    )
    assert send_due() == 0


def test_a_members_is_of_its_own_actors_however_many(planner: Mate, coder: Mate, boss: Mate) -> None:
    user = coder.actor.user
    ensure_membership(user=user, organization=planner.inbox.organization, role=Membership.Role.MEMBER)
    Actor.objects.filter(pk=boss.actor.pk).update(user=make_user("olga"))
    actors = Actor.objects.bulk_create(
        Actor(organization=planner.inbox.organization, user=user, passname=f"agent-{number}")
        for number in range(1200)  # SQLite refuses an expression that is a thousand deep
    )
    Participation.objects.bulk_create(Participation(inbox=planner.inbox, actor=actor) for actor in actors)
    subscriber = Subscriber(planner.inbox.organization, user)
    subscribe_as(subscriber=subscriber, channel="email", cadence="hourly", address="ops@example.com")
    planner.send(to=["coder", "agent-7"])
    planner.send(to=["boss"])
    make_due()
    assert send_due() == 1
    assert mail.outbox[0].subject == "Workforce, hourly: 1 open in release"


def test_email__a_failure_names_no_address(planner: Mate, coder: Mate, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    subscribe(coder)
    planner.send(to=["coder"])
    make_due()
    assert send_due() == 0
    error = DigestSubscription.objects.get().error
    assert "did not take it" in error
    assert "example.com" not in error


def test_a_dead_senders_is_sent_again_once(planner: Mate, coder: Mate, monkeypatch: Any) -> None:
    subscribe(coder)
    planner.send(to=["coder"])
    make_due()

    def die(**sent: Any) -> None:
        tries.append(sent)
        raise KeyboardInterrupt

    tries: list[Any] = []
    monkeypatch.setattr(sending, "deliver", die)
    for expected in (1, 2, 2):
        try:
            send_due()
        except KeyboardInterrupt:
            assert send_due() == 0  # it is held
        assert len(tries) == expected
        DigestSubscription.objects.filter(sending_until__isnull=False).update(next_at=clock.now())
    row = DigestSubscription.objects.get()
    assert "died twice" in row.error
    assert row.sending_until is None
    assert row.next_at > clock.now()


def test_sweep__hands_what_is_due_to_a_worker(planner: Mate, coder: Mate, monkeypatch: Any) -> None:
    put: list[Any] = []
    monkeypatch.setattr(tasks.SENDER, "put", put.append)
    subscribe(coder)
    assert (sweep.run_registered().get("digests"), put) == (None, [])
    planner.send(to=["coder"])
    make_due()
    assert sweep.run_registered()["digests"] == 1
    assert [message.task for message in put] == [tasks.SEND_DIGESTS]
    assert tasks.send_digests() == 1
    assert len(mail.outbox) == 1


@pytest.mark.django_db(transaction=True)
def test_many_at_once__send_it_once(planner: Mate, coder: Mate) -> None:
    subscribe(coder)
    planner.send(to=["coder"])
    make_due()
    counts: list[int] = []
    start = threading.Barrier(6)

    def run() -> None:
        start.wait()
        counts.append(send_due())
        connection.close()

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(counts) == len(mail.outbox) == 1


def test_rest__set_change_and_end(coder: Mate, planner: Mate) -> None:
    subscribe(coder)
    assert done(ask(coder, cadence="weekly"))["address"] == "ops@example.com"
    assert done(ask(coder, channel="telegram", address="12"))["channel"] == "telegram"
    shown = done(coder.api.get("/api/digests"))["items"]
    assert [(row["channel"], row["cadence"]) for row in shown] == [
        ("email", "weekly"),
        ("telegram", "hourly"),
    ]
    assert done(planner.api.get("/api/digests"))["items"] == []
    assert done(ask(coder, cadence="off")) == {"channel": "email", "cadence": "off"}
    assert done(ask(coder, cadence="off")) == {"channel": "email", "cadence": "off"}
    assert [row["channel"] for row in done(coder.api.get("/api/digests"))["items"]] == ["telegram"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"address": "nobody"},
        {"address": "a@example.com\nBcc: b@example.com"},
        {"address": "x" * 255},
        {"channel": "telegram", "address": "12; drop"},
        {"channel": "telegram", "address": "@name"},
        {"channel": "pigeon", "address": "1"},
        {"cadence": "often", "address": "a@example.com"},
        {"address": "a@example.com", "extra": 1},
        {"address": "a\x00@example.com"},
    ],
)
def test_rest__bad_input(coder: Mate, body: dict[str, Any]) -> None:
    assert ask(coder, **body).status_code == 400
    assert not DigestSubscription.objects.exists()


def test_rest__who_may(coder: Mate, settings: Any) -> None:
    assert Api(None).get("/api/digests").status_code == 401
    settings.EMAIL_URL = ""
    answer = ask(coder, address="a@example.com")
    assert (answer.status_code, answer.json()["code"]) == (409, "channel-unavailable")


def test_admin__for_oneself_and_ended(coder: Mate) -> None:
    user = make_user("olga", is_staff=True)
    ensure_membership(user=user, organization=coder.inbox.organization, role=Membership.Role.OPERATOR)
    client = Client()
    client.force_login(user)
    form = {
        "organization": coder.inbox.organization_id,
        "channel": "email",
        "cadence": "daily",
        "address": "bad",
    }
    path = "/admin/messaging/digestsubscription/"
    assert b"no e-mail address" in client.post(f"{path}add/", form).content
    assert client.post(f"{path}add/", form | {"address": "olga@example.com"}).status_code == 302
    row = DigestSubscription.objects.get(user=user)
    assert client.get(f"{path}{row.pk}/change/").status_code == 200
    DigestSubscription.objects.update(attempts=2, error="Telegram answered 500")
    assert b"failing" in client.get(path).content
    assert client.post(f"{path}{row.pk}/hasten/").status_code == 302
    assert DigestSubscription.objects.get().next_at <= clock.now()
    assert client.post(f"{path}{row.pk}/end/").status_code == 302
    assert not DigestSubscription.objects.exists()
