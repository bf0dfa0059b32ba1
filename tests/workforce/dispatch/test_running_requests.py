"""Running claimed requests: results, refusals, defects, order, and what a lost lease decides."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.db import IntegrityError, InterfaceError, OperationalError

from tests.conftest import Mailbox, Player
from tests.kinds import NotOpen
from tests.racing import ON_POSTGRESQL, at_once
from tests.workforce.dispatch.queues import make_request, running
from workforce import clock
from workforce.dispatch import run, start
from workforce.dispatch.claim import claim
from workforce.dispatch.run import run_queue, try_run
from workforce.kinds import Action, Call, Kind, Mode, NoInput, registry
from workforce.models import Item, Request, Session

Body = Callable[[Call], Any]


@pytest.fixture
def news(mailbox: Mailbox) -> Session:
    return mailbox("team.news", kind="announcements")


@pytest.fixture
def nudged(monkeypatch: pytest.MonkeyPatch) -> list[uuid.UUID]:
    """The requests that workers were told of."""
    told: list[uuid.UUID] = []
    monkeypatch.setattr(start, "nudge", told.append)
    monkeypatch.setattr(run, "nudge", told.append)
    return told


@pytest.fixture
def lab(mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch) -> Callable[[Body], Session]:
    """A session whose background action ``work`` is the given function."""

    def make(body: Body) -> Session:
        class Lab(Kind):
            name = "lab"

            def declare_actions(self) -> list[Action]:
                return [
                    Action(name="work", input=NoInput, run=body, mode=Mode.BACKGROUND, serial=True),
                    Action(name="now", input=NoInput, run=body),
                ]

        monkeypatch.setattr(registry, "_KINDS", {**registry._KINDS, "lab": Lab()})
        return mailbox("team.lab", kind="lab")

    return make


def test_run__the_result_and_its_effects(owner: Player, news: Session) -> None:
    uid = make_request(news).uid
    assert try_run(uid) is True
    request = Request.objects.get()
    assert (request.status, request.output, request.error) == ("completed", {"ran": 1}, None)
    assert (request.lease_until, request.attempts) == (None, 1)
    assert request.started_at <= request.ended_at
    (item,) = owner.api.get("/api/sessions/team.news/items").json()["items"]
    assert (item["data"], item["requestId"], item["seq"]) == ({"ran": True}, str(uid), 1)


def test_run__a_duplicate_nudge_does_nothing(news: Session, nothing_written: Any) -> None:
    uid = make_request(news).uid
    assert try_run(uid) is True
    with nothing_written():
        assert try_run(uid) is False
        assert try_run(uuid.uuid4()) is False


def test_run__a_refusal_leaves_only_the_failed_request(news: Session, nothing_written: Any) -> None:
    uid = make_request(news, "laterBoom").uid
    with nothing_written():
        assert try_run(uid) is True
    request = Request.objects.get()
    assert (request.status, request.output, request.lease_until) == ("failed", None, None)
    assert request.error["code"] == "announcements-not-open"
    assert request.error["message"] == "after it wrote something"


@pytest.mark.parametrize("error", [RuntimeError, IntegrityError, KeyError])
def test_run__a_defect_is_not_repeated_and_tells_nothing(
    owner: Player, lab: Callable[[Body], Session], nothing_written: Any, error: type[Exception]
) -> None:
    def work(call: Call) -> None:
        Item.objects.create(session=call.session, seq=1, type="message", request_id=call.request.uid)
        raise error("secret words")

    uid = make_request(lab(work), "work").uid
    with nothing_written():
        assert try_run(uid) is True
        assert try_run(uid) is False
    shown = owner.api.get(f"/api/requests/{uid}")
    assert (shown.json()["status"], shown.json()["attempts"]) == ("failed", 1)
    assert shown.json()["error"]["code"] == "internal-error"
    assert b"secret" not in shown.content
    assert Request.objects.get().lease_until is None


@pytest.mark.parametrize("error", [OperationalError, InterfaceError])
def test_run__a_database_that_is_away_leaves_it_to_the_sweep(
    lab: Callable[[Body], Session], nudged: list[uuid.UUID], error: type[Exception]
) -> None:
    def work(call: Call) -> None:
        raise error("away")

    request = make_request(lab(work), "work")
    with pytest.raises(error):
        try_run(request.uid)
    request.refresh_from_db()
    assert (request.status, request.attempts, request.claimed_by) == ("pending", 0, "")
    assert request.lease_until is None
    assert nudged == []


def test_run__a_database_that_fails_it_is_no_death_of_a_worker(lab: Callable[[Body], Session]) -> None:
    left = [OperationalError("database is locked")] * 5

    def work(call: Call) -> None:
        if left:
            raise left.pop()

    uid = make_request(lab(work), "work").uid
    for _ in range(5):
        with pytest.raises(OperationalError):
            try_run(uid)
    assert try_run(uid)
    assert Request.objects.values_list("status", "attempts").get() == ("completed", 1)


def test_run__what_the_database_fails_every_time_counts_in_the_end(lab: Callable[[Body], Session]) -> None:
    def work(call: Call) -> None:
        raise OperationalError("no such column")

    uid = make_request(lab(work), "work").uid
    Request.objects.update(started_at=clock.now() - run.GIVEN_BACK_FOR)
    with pytest.raises(OperationalError):
        try_run(uid)
    assert Request.objects.values_list("status", "attempts").get() == ("in_progress", 1)


def test_run__of_a_database_that_takes_nothing_back_the_lease_lapses(
    lab: Callable[[Body], Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: Any) -> None:
        raise OperationalError("away")

    monkeypatch.setattr(run, "give_back", away)
    uid = make_request(lab(away), "work").uid
    with pytest.raises(OperationalError):
        try_run(uid)
    assert Request.objects.values_list("status", "attempts").get() == ("in_progress", 1)


def test_run__an_action_that_the_kind_has_no_more(news: Session) -> None:
    for action in ("wasRemoved", "announce"):
        request = make_request(news, action)
        assert try_run(request.uid) is True
        request.refresh_from_db()
        assert request.status == "failed"
        assert request.error["code"] in ("no-such-action", "invalid-input")


def test_run__the_end_starts_the_next(news: Session, nudged: list[uuid.UUID]) -> None:
    first, second, third = (make_request(news, action) for action in ("later", "laterBoom", "laterDefect"))
    assert not try_run(third.uid)
    assert try_run(first.uid)
    assert nudged == [second.uid]
    assert try_run(second.uid)
    assert nudged == [second.uid, third.uid]
    assert try_run(third.uid)
    assert len(nudged) == 2


def test_run__what_is_owed_is_written_with_the_end(owner: Player, mailbox: Mailbox, seat: Any) -> None:
    mailbox(members=["support.lead"])
    seat("support.lead")
    owner.api.line("support.help")
    fan_out = Request.objects.get(action="onPosted")
    assert try_run(fan_out.uid)
    assert Request.objects.get(action="onMailboxPost").parent_uid == fan_out.uid


def owe_and_refuse(call: Call) -> None:
    call.owed.append(
        Request(session=call.session, action="later", source="dispatch", parent_uid=call.request.uid)
    )
    call.request.counted = Request.Counted.LINE
    raise NotOpen


def test_run__a_refusal_owes_nothing(
    owner: Player, lab: Callable[[Body], Session], nothing_written: Any
) -> None:
    session = lab(owe_and_refuse)
    uid = make_request(session, "work").uid
    with nothing_written():
        assert try_run(uid) is True
    with nothing_written(Request=1):
        assert owner.api.act("team.lab", "now", kind="lab").status_code == 409
    assert list(Request.objects.values_list("status", "counted")) == [("failed", 0)] * 2


@pytest.fixture
def fan_out(owner: Player, mailbox: Mailbox, seat: Any) -> Request:
    """A fan-out that owes two wakes."""
    names = ["support.lead", "support.clerk"]
    mailbox(members=names)
    for name in names:
        seat(name)
    owner.api.line("support.help")
    return Request.objects.get(action="onPosted")


def wakes() -> list[uuid.UUID]:
    return list(Request.objects.filter(action="onMailboxPost").order_by("pk").values_list("uid", flat=True))


def test_run__workers_are_told_of_what_is_owed_once_it_is_there(
    fan_out: Request, nudged: list[uuid.UUID], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        assert try_run(fan_out.uid)
    assert sorted(nudged) == sorted(wakes())


def test_run_queue__runs_the_first_that_it_owes_and_tells_of_the_others(
    fan_out: Request, nudged: list[uuid.UUID], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        assert run_queue(fan_out.uid) == 2
        assert nudged == []  # nobody needs to be told of what this worker does at once
    first, second = wakes()
    assert nudged == [second]
    assert Request.objects.get(uid=first).attempts == 1


@pytest.mark.parametrize("why", ["it took long", "something waits behind it", "the database goes away"])
def test_run_queue__tells_of_the_first_that_it_owes_when_it_does_not_run_it(
    fan_out: Request, nudged: list[uuid.UUID], monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    if why == "it took long":
        monkeypatch.setattr(run, "_took_long", lambda request: True)
    elif why == "something waits behind it":
        monkeypatch.setattr(run, "_behind", lambda request: uuid.uuid4())
    else:
        monkeypatch.setattr(run, "_behind", lambda request: (_ for _ in ()).throw(OperationalError("gone")))
    with suppress(OperationalError):
        assert run_queue(fan_out.uid) == 1
    assert nudged == wakes()[:1]


def test_run__a_lost_lease_decides_nothing(news: Session, nothing_written: Any) -> None:
    mine = claim(make_request(news).uid)
    assert mine is not None
    Request.objects.update(claimed_by="another")
    with nothing_written():
        run._run_claimed(mine)
    assert Request.objects.get().status == "in_progress"
    Request.objects.update(claimed_by=mine.claimed_by, status="aborted")
    with nothing_written():
        run._run_claimed(mine)
    assert Request.objects.get().status == "aborted"


def test_run__a_defect_of_a_lost_lease_decides_nothing(news: Session) -> None:
    mine = claim(make_request(news).uid)
    assert mine is not None
    Request.objects.update(claimed_by="another")
    run._fail(mine, "RuntimeError")
    assert Request.objects.get().status == "in_progress"


def test_nudge__after_the_commit_and_only_what_is_pending(
    owner: Player, mailbox: Mailbox, nudged: list[uuid.UUID], django_capture_on_commit_callbacks: Any
) -> None:
    mailbox(members=["support.lead"])
    with django_capture_on_commit_callbacks(execute=True):
        owner.api.line("support.help")
        assert nudged == []
    assert nudged == [Request.objects.get(action="onPosted").uid]
    with django_capture_on_commit_callbacks(execute=True):
        owner.api.act("support.help", "post", {"body": "x", "author": "no.one"})
        owner.api.act("support.help", "read")
    assert len(nudged) == 1


class TestAtOnce:
    pytestmark = ON_POSTGRESQL

    def test_run__serial_ones_never_overlap(self, lab: Callable[[Body], Session]) -> None:
        inside: list[int] = []
        most: list[int] = []
        ran: list[Any] = []
        lock = threading.Lock()

        def work(call: Call) -> None:
            with lock:
                inside.append(call.request.pk)
                most.append(len(inside))
            time.sleep(0.01)  # not waited for: it only widens the moment in which two could overlap
            with lock:
                inside.remove(call.request.pk)
                ran.append(call.request.pk)

        session = lab(work)
        requests = [make_request(session, "work") for _ in range(8)]

        def drain() -> int:
            done = 0
            while Request.objects.filter(status__in=Request.UNFINISHED).exists():
                done += sum(try_run(request.uid) for request in requests)
            return done

        assert sum(at_once(*[drain] * 4)) == 8
        assert max(most) == 1
        assert ran == [request.pk for request in requests]

    def test_run__other_sessions_are_not_held_up(
        self, lab: Callable[[Body], Session], mailbox: Mailbox
    ) -> None:
        barrier = threading.Barrier(3)

        def work(call: Call) -> None:
            barrier.wait(timeout=20)  # broken unless three sessions run at the same moment

        sessions = [lab(work), mailbox("two.lab", kind="lab"), mailbox("three.lab", kind="lab")]
        uids = [make_request(session, "work").uid for session in sessions]
        assert at_once(*[lambda uid=uid: try_run(uid) for uid in uids]) == [True] * 3
        assert set(Request.objects.values_list("status", flat=True)) == {"completed"}

    def test_run__a_lapsed_lease_runs_once(self, mailbox: Mailbox) -> None:
        news = mailbox("team.news", kind="announcements")
        uid = running(news, lapsed=True).uid
        assert sorted(at_once(*[lambda: try_run(uid)] * 4)) == [False, False, False, True]
        assert Request.objects.get().output == {"ran": 2}
        assert Item.objects.count() == 1
