"""Claiming a request: who may run it, and when nobody may."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta

import pytest
from django.db import connection, transaction

from tests.conftest import Mailbox
from tests.racing import ON_POSTGRESQL, at_once
from tests.stories.server import until
from tests.workforce.dispatch.queues import make_request, running
from workforce import clock
from workforce.dispatch import start
from workforce.dispatch.claim import MAX_ATTEMPTS, claim, lease
from workforce.dispatch.rows import head_of_queue
from workforce.dispatch.run import try_run
from workforce.models import Item, Request, Session


@pytest.fixture
def news(mailbox: Mailbox) -> Session:
    return mailbox("team.news", kind="announcements")


def test_claim__a_pending_one(news: Session) -> None:
    before = clock.now()
    request = claim(make_request(news).uid)
    assert request is not None
    assert (request.status, request.attempts) == ("in_progress", 1)
    assert request.claimed_by
    assert request.started_at is not None
    assert before + lease() <= request.lease_until <= clock.now() + lease()


def test_claim__only_once(news: Session) -> None:
    uid = make_request(news).uid
    first = claim(uid)
    assert first is not None
    assert claim(uid) is None
    request = Request.objects.get()
    assert (request.attempts, request.claimed_by) == (1, first.claimed_by)


@pytest.mark.parametrize("status", ["completed", "failed", "aborted"])
@pytest.mark.parametrize("serial", [True, False])
def test_claim__never_an_ended_one(news: Session, status: str, serial: bool) -> None:
    request = make_request(news, status=status, serial=serial)
    assert claim(request.uid) is None
    request.refresh_from_db()
    assert (request.status, request.attempts) == (status, 0)


def test_claim__an_unknown_one(db: None) -> None:
    assert claim(uuid.uuid4()) is None


@pytest.mark.parametrize("serial", [True, False])
def test_claim__a_live_lease_is_respected(news: Session, serial: bool) -> None:
    request = running(news, lapsed=False, serial=serial)
    assert claim(request.uid) is None
    request.refresh_from_db()
    assert (request.attempts, request.claimed_by) == (1, "another")


@pytest.mark.parametrize("serial", [True, False])
def test_claim__a_lapsed_lease_is_taken_over(news: Session, serial: bool) -> None:
    old = running(news, lapsed=True, serial=serial)
    taken = claim(old.uid)
    assert taken is not None
    assert (taken.attempts, taken.started_at) == (2, old.started_at)
    assert taken.claimed_by not in ("", "another")
    assert taken.lease_until > clock.now()
    assert claim(old.uid) is None


def test_claim__the_third_death_abandons(news: Session) -> None:
    request = make_request(news)
    for attempt in range(1, MAX_ATTEMPTS + 1):
        taken = claim(request.uid)
        assert taken is not None
        assert taken.attempts == attempt
        Request.objects.update(lease_until=clock.now() - timedelta(seconds=1))
    assert claim(request.uid) is None
    request.refresh_from_db()
    assert (request.status, request.attempts) == ("failed", MAX_ATTEMPTS)
    assert request.error["code"] == "abandoned"
    assert request.ended_at is not None
    assert claim(request.uid) is None
    assert Item.objects.count() == 0


def test_claim__the_end_of_an_abandoned_one_calls_the_next(
    news: Session,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[list[object]]],
) -> None:
    told: list[uuid.UUID] = []
    monkeypatch.setattr(start, "nudge", told.append)
    dead, waiting = running(news, lapsed=True, attempts=MAX_ATTEMPTS), make_request(news)
    with django_capture_on_commit_callbacks(execute=True):
        assert claim(dead.uid) is None
    assert told == [waiting.uid]


def test_claim__a_live_third_attempt_is_not_abandoned(news: Session) -> None:
    request = running(news, lapsed=False, attempts=MAX_ATTEMPTS)
    assert claim(request.uid) is None
    request.refresh_from_db()
    assert request.status == "in_progress"


def test_claim__serial_ones_in_arrival_order(news: Session, mailbox: Mailbox) -> None:
    first, second = make_request(news), make_request(news)
    other = make_request(mailbox("other.news", kind="announcements"))
    assert claim(second.uid) is None
    assert head_of_queue(news.pk) == first.pk
    assert claim(other.uid) is not None
    assert claim(first.uid) is not None
    assert claim(second.uid) is None
    Request.objects.filter(pk=first.pk).update(status="completed")
    assert claim(second.uid) is not None


@pytest.mark.parametrize("lapsed", [False, True])
def test_claim__not_beside_one_that_runs_although_its_number_is_lower(news: Session, lapsed: bool) -> None:
    """A request whose number was taken first may be committed last."""
    first, runs = make_request(news), running(news, lapsed=lapsed)
    assert claim(first.uid) is None
    assert head_of_queue(news.pk) == runs.pk
    assert (claim(runs.uid) is not None) is lapsed
    Request.objects.filter(pk=runs.pk).update(status="completed")
    assert claim(first.uid) is not None


def test_claim__what_is_not_serial_waits_for_nobody(news: Session) -> None:
    running(news, lapsed=False)
    make_request(news)
    assert claim(make_request(news, serial=False).uid) is not None


def is_somebody_blocked() -> bool:
    """Whether a transaction of this database waits for a row that another one holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return bool(cursor.fetchone()[0])


class TestAtOnce:
    pytestmark = ON_POSTGRESQL

    @pytest.mark.parametrize("serial", [True, False])
    def test_claim__one_of_many_wins(self, mailbox: Mailbox, serial: bool) -> None:
        news = mailbox("team.news", kind="announcements")
        for _ in range(5):
            request = make_request(news, serial=serial)
            results = at_once(*[lambda: claim(request.uid)] * 6)  # noqa: B023
            assert sum(result is not None for result in results) == 1
            request.refresh_from_db()
            assert request.attempts == 1
            Request.objects.update(status="completed")

    @pytest.mark.parametrize("serial", [True, False])
    def test_claim__a_lapsed_lease_goes_to_one(self, mailbox: Mailbox, serial: bool) -> None:
        news = mailbox("team.news", kind="announcements")
        request = running(news, lapsed=True, serial=serial)
        results = at_once(*[lambda: claim(request.uid)] * 6)
        assert sum(result is not None for result in results) == 1
        request.refresh_from_db()
        assert request.attempts == 2

    def test_claim__many_of_one_session_never_two(self, mailbox: Mailbox) -> None:
        news = mailbox("team.news", kind="announcements")
        requests = [make_request(news) for _ in range(6)]
        results = at_once(*[lambda uid=request.uid: claim(uid) for request in requests])
        taken = [result.pk for result in results if result is not None]
        assert taken == [requests[0].pk]

    def test_claim__waits_for_a_claim_in_the_same_session(self, mailbox: Mailbox) -> None:
        news = mailbox("team.news", kind="announcements")
        late, first = make_request(news, status="completed"), make_request(news)
        claimed, go_on = threading.Event(), threading.Event()

        def claim_and_hold() -> Request | None:
            with transaction.atomic():
                request = claim(first.uid)
                claimed.set()
                assert go_on.wait(timeout=20)
            return request

        def claim_late() -> Request | None:
            assert claimed.wait(timeout=20)
            return claim(late.uid)

        def release() -> None:
            """Let the first claim commit once the other one has ended, or waits for it."""
            assert claimed.wait(timeout=20)
            Request.objects.filter(pk=late.pk).update(status="pending")
            until(lambda: is_somebody_blocked() or Request.objects.get(pk=late.pk).status == "in_progress")
            go_on.set()

        def late_after_release() -> Request | None:
            until(lambda: Request.objects.get(pk=late.pk).status != "completed")
            return claim_late()

        held, second, _ = at_once(claim_and_hold, late_after_release, release)
        assert (held.pk, second) == (first.pk, None)

    def test_try_run__two_deliveries_run_it_once(self, mailbox: Mailbox) -> None:
        news = mailbox("team.news", kind="announcements")
        for turn in range(1, 6):
            uid = make_request(news).uid
            assert sorted(at_once(*[lambda: try_run(uid)] * 4)) == [False, False, False, True]  # noqa: B023
            assert Item.objects.count() == turn
