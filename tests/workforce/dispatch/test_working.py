"""The slow part of a run: steps that stay, leases that are renewed, and who may still write."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.conftest import Mailbox, Player
from tests.kinds import NotOpen
from tests.stories.server import until
from tests.workforce.dispatch.queues import make_request
from workforce import clock
from workforce.dispatch import heartbeat, run
from workforce.dispatch.claim import claim
from workforce.dispatch.heartbeat import HEARTBEAT
from workforce.dispatch.run import try_run
from workforce.kinds import Action, Call, Failure, Kind, Mode, NoInput, RunLost, Work, registry
from workforce.models import Item, Request, Session
from workforce.services.items import append_item

Slow = Callable[[Work], Any]
Lab = Callable[..., Session]


def finish(call: Call) -> Any:
    append_item(session=call.session, request=call.request, type=Item.Type.MESSAGE, data={"end": True})
    return {"worked": call.worked}


@pytest.fixture
def lab(mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch) -> Lab:
    def make(slow: Slow, run: Callable[[Call], Any] = finish) -> Session:
        class Slowly(Kind):
            name = "lab"

            def declare_actions(self) -> list[Action]:
                return [
                    Action(name="work", input=NoInput, run=run, work=slow, mode=Mode.BACKGROUND, serial=True),
                ]

        monkeypatch.setattr(registry, "_KINDS", {**registry._KINDS, "lab": Slowly()})
        return mailbox("team.lab", kind="lab")

    return make


def take_step(work: Work, **owed: Any) -> None:
    with work.step() as call:
        append_item(session=call.session, request=call.request, type=Item.Type.MESSAGE, data={"step": 1})
        if owed:
            call.owed.append(Request(session=call.session, source="dispatch", **owed))


def items() -> list[Any]:
    return list(Item.objects.order_by("seq").values_list("data", flat=True))


def test_work__its_result_is_written_with_the_end(db: None, lab: Lab) -> None:
    request = make_request(lab(lambda work: 42), "work")
    assert try_run(request.uid)
    request.refresh_from_db()
    assert (request.status, request.output, request.lease_until) == ("completed", {"worked": 42}, None)
    assert items() == [{"end": True}]


def test_work__runs_outside_of_any_transaction(transactional_db: None, lab: Lab) -> None:
    from django.db import connection

    inside: list[bool] = []
    request = make_request(lab(lambda work: inside.append(connection.in_atomic_block)), "work")
    assert try_run(request.uid)
    assert inside == [False]


def test_step__stays_when_the_run_is_refused(db: None, lab: Lab) -> None:
    def slow(work: Work) -> None:
        take_step(work, action="later")
        raise NotOpen("after a step")

    request = make_request(lab(slow), "work")
    assert try_run(request.uid)
    request.refresh_from_db()
    assert (request.status, request.error["code"]) == ("failed", "announcements-not-open")
    assert items() == [{"step": 1}]
    assert Request.objects.filter(action="later", status="pending").count() == 1


def test_step__that_raises_writes_nothing(db: None, lab: Lab) -> None:
    def slow(work: Work) -> str:
        with pytest.raises(NotOpen), work.step() as call:
            append_item(session=call.session, request=call.request, type=Item.Type.MESSAGE, data={})
            raise NotOpen
        return "went on"

    assert try_run(make_request(lab(slow), "work").uid)
    assert items() == [{"end": True}]


def test_failure__keeps_what_was_written(db: None, lab: Lab) -> None:
    def end(call: Call) -> Failure:
        finish(call)
        call.request.input_tokens = 7
        return Failure(NotOpen("no luck"))

    request = make_request(lab(lambda work: None, end), "work")
    assert try_run(request.uid)
    request.refresh_from_db()
    assert (request.status, request.error["message"], request.input_tokens) == ("failed", "no luck", 7)
    assert items() == [{"end": True}]


def test_step__of_a_lost_lease_writes_nothing(db: None, lab: Lab) -> None:
    def slow(work: Work) -> None:
        Request.objects.update(claimed_by="another")
        for check in (work.check, lambda: take_step(work)):
            with pytest.raises(RunLost):
                check()
        take_step(work)

    request = make_request(lab(slow), "work")
    assert try_run(request.uid)
    request.refresh_from_db()
    assert (request.status, request.claimed_by, items()) == ("in_progress", "another", [])


def test_abort__is_told_at_the_next_step(owner: Player, lab: Lab) -> None:
    def slow(work: Work) -> None:
        take_step(work)
        assert owner.api.post(f"/api/requests/{work.request.uid}/abort", {}).status_code == 202
        take_step(work)
        raise AssertionError("the second step was taken")

    request = make_request(lab(slow), "work")
    assert try_run(request.uid)
    request.refresh_from_db()
    assert (request.status, items()) == ("aborted", [{"step": 1}])


def test_defect__in_the_slow_part_ends_the_run(db: None, lab: Lab) -> None:
    def slow(work: Work) -> None:
        raise RuntimeError("secret words")

    request = make_request(lab(slow), "work")
    assert try_run(request.uid)
    request.refresh_from_db()
    assert (request.status, request.error["code"], items()) == ("failed", "internal-error", [])


class TestHeartbeat:
    @pytest.fixture(autouse=True)
    def often(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(heartbeat, "lease", lambda: timedelta(seconds=0.2))

    def test_lease__is_renewed_while_the_run_works(self, transactional_db: None, lab: Lab) -> None:
        renewed = threading.Event()

        def slow(work: Work) -> None:
            Request.objects.update(lease_until=clock.now() - timedelta(seconds=5))
            work.at_every_beat(renewed.set)
            assert renewed.wait(20)
            until(lambda: Request.objects.get().lease_until > clock.now() - timedelta(seconds=4))

        request = make_request(lab(slow), "work")
        assert try_run(request.uid)
        request.refresh_from_db()
        assert request.status == "completed"

    def test_lease__that_is_short_is_renewed_although_the_beat_was_slow(
        self, transactional_db: None, lab: Lab, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The thread outlives its runs until its next beat, so that it is not started for each of them."""
        beat, renewed = heartbeat.Heartbeat(), threading.Event()
        mine = claim(make_request(lab(lambda work: None), "work").uid)
        assert mine is not None
        with monkeypatch.context() as long:
            long.setattr(heartbeat, "lease", lambda: timedelta(hours=1))
            with beat.holding(mine):
                until(lambda: beat._every > 800)
        with beat.holding(mine) as held:
            held.renewals.append(renewed.set)
            assert renewed.wait(20)

    def test_lease__that_was_taken_is_noticed(self, transactional_db: None, lab: Lab) -> None:
        def slow(work: Work) -> None:
            Request.objects.update(claimed_by="another")
            until(work._held.lost.is_set)  # type: ignore[attr-defined]
            work.check()

        request = make_request(lab(slow), "work")
        assert try_run(request.uid)
        request.refresh_from_db()
        assert (request.status, request.claimed_by) == ("in_progress", "another")

    def test_release__gives_the_run_to_the_next_worker(self, transactional_db: None, lab: Lab) -> None:
        tries: list[int] = []

        def slow(work: Work) -> int:
            tries.append(1)
            if len(tries) == 1:
                assert HEARTBEAT.release_all() == 1
                take_step(work)
            return len(tries)

        request = make_request(lab(slow), "work")
        assert try_run(request.uid)
        request.refresh_from_db()
        assert (request.status, request.attempts, request.lease_until) == ("pending", 0, None)
        assert try_run(request.uid)
        request.refresh_from_db()
        assert (request.status, request.attempts, request.output) == ("completed", 1, {"worked": 2})
        assert HEARTBEAT.release_all() == 0


def test_queue__does_not_run_on_after_a_long_run(db: None, lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    session = lab(lambda work: None)
    first, second = make_request(session, "work"), make_request(session, "work")
    nudged: list[Any] = []
    monkeypatch.setattr(run, "nudge", nudged.append)
    monkeypatch.setattr(run, "A_WHILE", timedelta(0))
    assert run.run_queue(first.uid) == 1
    assert nudged == [second.uid]


@pytest.mark.parametrize("at", ["between two steps", "at the end"])
def test_deleted__a_session_whose_run_goes_on_loses_it(
    lab: Lab, caplog: pytest.LogCaptureFixture, at: str
) -> None:
    """Its owner may; that is no defect of the run."""

    def slow(work: Work) -> str:
        take_step(work)
        Session.objects.filter(pk=work.session.pk).delete()
        if at == "between two steps":
            take_step(work)
        return "done"

    assert try_run(make_request(lab(slow), "work").uid)
    assert (Request.objects.count(), Item.objects.count()) == (0, 0)
    assert "run_failed" not in caplog.text
