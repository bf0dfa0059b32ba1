"""Stopping requests, and running failed ones again."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest

from tests.clients import problem
from tests.conftest import Mailbox, Player
from tests.racing import ON_POSTGRESQL, at_once
from workforce import clock
from workforce.dispatch import start as dispatch_start
from workforce.dispatch.run import try_run
from workforce.dispatch.sweep import run_due
from workforce.models import Item, Request
from workforce.services.recovery import AlreadyEnded, NotRetryable, abort_request, retry_request

NEWS = "announcements"
ENDINGS = ["completed", "failed", "aborted"]


@pytest.fixture
def news(mailbox: Mailbox) -> Any:
    return mailbox("team.news", kind=NEWS)


def start(player: Player, action: str = "later") -> Request:
    answer = player.api.act("team.news", action, kind=NEWS)
    return Request.objects.get(uid=answer.json()["request"]["id"])


def test_abort__a_pending_one_never_runs(owner: Player, news: Any) -> None:
    request = start(owner)
    assert abort_request(caller=owner.caller, uid=request.uid) is True
    request.refresh_from_db()
    assert (request.status, request.attempts, request.output) == ("aborted", 0, None)
    assert request.ended_at is not None
    assert run_due() == 0
    assert not try_run(request.uid)
    assert Item.objects.count() == 0


def test_abort__a_running_one_is_told_at_its_next_step(owner: Player, news: Any) -> None:
    request = start(owner)
    later = clock.now() + timedelta(seconds=30)
    Request.objects.filter(pk=request.pk).update(
        status="in_progress", attempts=1, lease_until=later, claimed_by="a"
    )
    assert abort_request(caller=owner.caller, uid=request.uid) is False
    request.refresh_from_db()
    assert (request.status, request.abort_requested_at is not None) == ("in_progress", True)
    Request.objects.filter(pk=request.pk).update(lease_until=clock.now() - timedelta(seconds=1))
    assert try_run(request.uid)
    request.refresh_from_db()
    assert (request.status, request.output, request.lease_until) == ("aborted", None, None)
    assert Item.objects.count() == 0


@pytest.mark.parametrize("status", ENDINGS)
def test_abort__an_ended_one(owner: Player, news: Any, nothing_written: Any, status: str) -> None:
    request = start(owner)
    Request.objects.filter(pk=request.pk).update(status=status)
    with nothing_written():
        answer = owner.api.post(f"/api/requests/{request.uid}/abort")
        problem(answer, 409, "already-ended", status)
    request.refresh_from_db()
    assert (request.status, request.abort_requested_at) == (status, None)


def test_abort__the_head_of_the_queue_starts_the_next(
    owner: Player, news: Any, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    told: list[uuid.UUID] = []
    monkeypatch.setattr(dispatch_start, "nudge", told.append)
    head, second, third = start(owner), start(owner), start(owner)
    for aborted, expected in ((second, head), (head, third)):
        with django_capture_on_commit_callbacks(execute=True):
            abort_request(caller=owner.caller, uid=aborted.uid)
            assert told == []
        assert told == [expected.uid]
        told.clear()


def test_abort__over_the_api(owner: Player, news: Any) -> None:
    request = start(owner)
    Request.objects.filter(pk=request.pk).update(status="in_progress")
    answer = owner.api.post(f"/api/requests/{request.uid}/abort")
    assert (answer.status_code, answer.content) == (202, b"")
    Request.objects.filter(pk=request.pk).update(status="pending")
    answer = owner.api.post(f"/api/requests/{request.uid}/abort")
    assert (answer.status_code, answer.content) == (204, b"")


def test_abort__a_fan_out_wakes_nobody(owner: Player, mailbox: Mailbox, seat: Any) -> None:
    mailbox(members=["support.lead"])
    seat("support.lead")
    owner.api.line("support.help")
    fan_out = Request.objects.get(action="onPosted")
    assert owner.api.post(f"/api/requests/{fan_out.uid}/abort").status_code == 204
    assert run_due() == 0
    assert not Request.objects.filter(action="onMailboxPost").exists()
    assert len(owner.api.transcript("support.help")) == 1


@pytest.mark.parametrize("status", ["failed", "aborted"])
def test_retry__a_new_request_with_the_same_input(owner: Player, news: Any, status: str) -> None:
    old = start(owner)
    Request.objects.filter(pk=old.pk).update(status=status, metadata={"a": 1})
    answer = owner.api.post(f"/api/requests/{old.uid}/retry")
    fresh = Request.objects.exclude(pk=old.pk).get()
    assert (answer.status_code, answer["Location"]) == (202, f"/api/requests/{fresh.uid}")
    assert answer.json()["request"] == {
        "id": str(fresh.uid),
        "flowKind": NEWS,
        "flowId": NEWS,
        "actionName": "later",
        "status": "pending",
        "retryOf": str(old.uid),
    }
    assert (fresh.input, fresh.metadata, fresh.retry_of_uid) == (old.input, {"a": 1}, old.uid)
    assert (fresh.chain_uid, fresh.passname) == (fresh.uid, "ada-desk")
    assert owner.api.get(f"/api/requests/{fresh.uid}").json()["retryOf"] == str(old.uid)
    old.refresh_from_db()
    assert old.status == status
    assert run_due() == 1


def test_retry__a_refused_post_lands_when_it_may(owner: Player, mailbox: Mailbox) -> None:
    box = mailbox()
    refused = owner.api.act("support.help", "post", {"body": "x", "author": "new.one"})
    uid = problem(refused, 422, "author-not-a-member")["request"]["id"]
    still = owner.api.post(f"/api/requests/{uid}/retry")
    assert (still.status_code, still.json()["status"]) == (202, "failed")
    box.state |= {"members": ["new.one"]}
    box.save()
    assert owner.api.post(f"/api/requests/{uid}/retry").json()["status"] == "completed"
    assert [line["author"] for line in owner.api.transcript("support.help")] == ["new.one"]


@pytest.mark.parametrize("status", ["pending", "in_progress", "completed"])
def test_retry__only_what_failed_or_was_aborted(
    owner: Player, news: Any, nothing_written: Any, status: str
) -> None:
    request = start(owner)
    Request.objects.filter(pk=request.pk).update(status=status)
    with nothing_written():
        problem(owner.api.post(f"/api/requests/{request.uid}/retry"), 409, "not-retryable", status)


@pytest.mark.parametrize("status", ["pending", "in_progress", "completed"])
def test_retry__not_beside_a_retry_that_runs_or_has_succeeded(
    owner: Player, news: Any, nothing_written: Any, status: str
) -> None:
    """A double press is one run; what failed again is retried again."""
    request = start(owner)
    Request.objects.filter(pk=request.pk).update(status="failed")
    path = f"/api/requests/{request.uid}/retry"
    assert owner.api.post(path).status_code == 202
    Request.objects.filter(retry_of_uid=request.uid).update(status=status)
    with nothing_written():
        problem(owner.api.post(path), 409, "not-retryable", "retried already")
    Request.objects.filter(retry_of_uid=request.uid).update(status="aborted")
    assert owner.api.post(path).status_code == 202


def test_retry__never_an_internal_entry(owner: Player, mailbox: Mailbox, nothing_written: Any) -> None:
    mailbox(members=["support.lead"])
    owner.api.line("support.help")
    Request.objects.filter(action="onPosted").update(status="failed")
    uid = Request.objects.get(action="onPosted").uid
    with nothing_written():
        problem(owner.api.post(f"/api/requests/{uid}/retry"), 404, "no-such-action", "onPosted")


@pytest.mark.parametrize("verb", ["abort", "retry"])
def test_recover__takes_no_body(owner: Player, news: Any, nothing_written: Any, verb: str) -> None:
    request = start(owner)
    with nothing_written():
        problem(owner.api.post(f"/api/requests/{request.uid}/{verb}", {"force": True}), 400, "invalid-input")
        problem(owner.api.post(f"/api/requests/{uuid.uuid4()}/{verb}"), 404, "not-found")
    key = owner.actor.keys.get()
    key.grants = ["flows:read"]
    key.save()
    with nothing_written():
        problem(owner.api.post(f"/api/requests/{request.uid}/{verb}"), 403, "not-granted", "flows:write")


class TestAtOnce:
    pytestmark = ON_POSTGRESQL

    def test_abort__against_a_claim_exactly_one_wins(self, owner: Player, mailbox: Mailbox) -> None:
        mailbox("team.news", kind=NEWS)
        seen = set()
        for _ in range(12):
            request = start(owner)
            ran, aborted = at_once(
                lambda: try_run(request.uid),  # noqa: B023
                lambda: abort_request(caller=owner.caller, uid=request.uid),  # noqa: B023
            )
            request.refresh_from_db()
            wrote = Item.objects.filter(request_id=request.uid).exists()
            if request.status == "completed":  # the run was first; the abort came too late
                assert ran is True
                assert wrote
                assert isinstance(aborted, AlreadyEnded)
            else:
                assert request.status == "aborted"
                assert not wrote
                assert (ran, aborted) in [(False, True), (True, False)]
            seen.add(request.status)
        assert seen <= {"completed", "aborted"}

    def test_abort__many_at_once(self, owner: Player, mailbox: Mailbox) -> None:
        mailbox("team.news", kind=NEWS)
        request = start(owner)
        results = at_once(*[lambda: abort_request(caller=owner.caller, uid=request.uid)] * 6)
        assert sum(result is True for result in results) == 1
        assert sum(isinstance(result, AlreadyEnded) for result in results) == 5

    def test_retry__many_at_once_are_one(self, owner: Player, mailbox: Mailbox) -> None:
        mailbox("team.news", kind=NEWS)
        request = start(owner)
        Request.objects.filter(pk=request.pk).update(status="failed")
        results = at_once(*[lambda: retry_request(caller=owner.caller, uid=request.uid)] * 4)
        assert sum(isinstance(result, NotRetryable) for result in results) == 3
        assert Request.objects.filter(retry_of_uid=request.uid).count() == 1
