"""The sweep: what was lost is found, what is past keeping is removed."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from tests.conftest import Mailbox, Player
from tests.workforce.dispatch.queues import make_request, running
from workforce import clock, tasks
from workforce.dispatch import sweep
from workforce.dispatch.claim import MAX_ATTEMPTS
from workforce.models import IdempotencyRecord, Item, Request, Session


@pytest.fixture
def news(mailbox: Mailbox) -> Session:
    return mailbox("team.news", kind="announcements")


def test_list_due__pending_and_lapsed_oldest_first(news: Session) -> None:
    for status in ("completed", "failed", "aborted"):
        make_request(news, status=status)
    alone = {"serial": False}
    lapsed = running(news, lapsed=True, **alone)
    running(news, lapsed=False, **alone)
    pending = make_request(news, **alone)
    assert sweep.list_due() == [lapsed.uid, pending.uid]


def test_list_due__of_a_queue_only_the_head(news: Session, mailbox: Mailbox) -> None:
    """A long queue of one session must not fill the batch: what waits in the others is found too."""
    heads = [make_request(news), make_request(mailbox("team.other", kind="announcements"))]
    for _ in range(3):
        make_request(news)
    assert sweep.list_due() == [head.uid for head in heads]


def test_list_due__what_a_dead_worker_had_taken_before_a_lower_number_that_came_later(news: Session) -> None:
    """Two transactions, the higher number committed first: were the lower one listed, neither would ever run."""
    lower, dead = make_request(news), running(news, lapsed=True)
    assert sweep.list_due() == [dead.uid]
    assert sweep.run_due() == 2
    ended = Item.objects.order_by("seq").values_list("request_id", flat=True)
    assert list(ended) == [dead.uid, lower.uid]


def test_list_due__nothing_behind_what_runs(news: Session) -> None:
    make_request(news)
    running(news, lapsed=False)
    assert sweep.list_due() == []


def test_nudge_due__tells_of_each_and_changes_nothing(
    news: Session, monkeypatch: pytest.MonkeyPatch, nothing_written: object
) -> None:
    told: list[uuid.UUID] = []
    monkeypatch.setattr(sweep, "nudge", told.append)
    uids = [make_request(news, serial=False).uid for _ in range(3)]
    assert sweep.nudge_due() == 3
    assert told == uids
    assert set(Request.objects.values_list("status", flat=True)) == {"pending"}


def test_run_due__everything_until_nothing_is_left(
    owner: Player, mailbox: Mailbox, seat: object, settings: Any
) -> None:
    settings.WORKFORCE_MODEL = "offline:extract"
    mailbox("team.news", kind="announcements")
    mailbox("support.help", members=["support.lead"])
    seat("support.lead")  # type: ignore[operator]
    for _ in range(3):
        owner.api.act("team.news", "later", kind="announcements")
    owner.api.line("support.help")
    assert sweep.run_due() == 5  # three, the fan-out, and the wake that it owed
    assert sweep.run_due() == 0
    assert not Request.objects.exclude(status="completed").exists()


def test_run_due__what_was_pending_when_everything_died(news: Session) -> None:
    """Rows alone are enough: no message, no process and no memory is left."""
    dead, waiting = running(news, lapsed=True), make_request(news)
    assert sweep.run_due() == 2
    assert list(Item.objects.order_by("seq").values_list("request_id", flat=True)) == [dead.uid, waiting.uid]
    dead.refresh_from_db()
    assert (dead.status, dead.output) == ("completed", {"ran": 2})


def test_run_due__an_abandoned_head_holds_nobody_up(news: Session) -> None:
    dead, waiting = running(news, lapsed=True, attempts=MAX_ATTEMPTS), make_request(news)
    assert sweep.run_due() == 1
    dead.refresh_from_db()
    waiting.refresh_from_db()
    assert (dead.status, dead.error["code"], waiting.status) == ("failed", "abandoned", "completed")


def test_run_due__leaves_what_another_worker_runs(news: Session) -> None:
    running(news, lapsed=False)
    make_request(news)
    assert sweep.run_due() == 0
    assert Item.objects.count() == 0


def test_prune__reads_after_a_day(owner: Player, mailbox: Mailbox) -> None:
    mailbox()
    owner.api.line("support.help")
    for _ in range(2):
        owner.api.transcript("support.help")
    reads = Request.objects.filter(action="read")
    long_ago = clock.now() - timedelta(hours=24, seconds=1)
    Request.objects.exclude(pk=reads[0].pk).update(created_at=long_ago)
    assert sweep.prune() == 1
    assert reads.count() == 1
    assert Request.objects.filter(action="post").count() == 1
    assert len(owner.api.transcript("support.help")) == 1


def test_prune__answers_after_a_day(owner: Player, mailbox: Mailbox) -> None:
    mailbox()
    for key in ("old", "new"):
        owner.api.act("support.help", "post", {"body": "x"}, Idempotency_Key=key)
    IdempotencyRecord.objects.filter(key="old").update(
        created_at=clock.now() - timedelta(hours=24, seconds=1)
    )
    assert sweep.prune() == 1
    assert IdempotencyRecord.objects.get().key == "new"
    assert Item.objects.count() == 2


def test_tasks__run_one_and_sweep(news: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[uuid.UUID] = []
    monkeypatch.setattr(sweep, "nudge", told.append)
    request = make_request(news)
    assert tasks.sweep_requests().items() >= {"nudged": 1, "pruned": 0}.items()
    assert told == [request.uid]
    assert tasks.run_request(str(request.uid)) is True
    assert tasks.run_request(str(request.uid)) is False


def test_command__runs_what_is_due_once(news: Session) -> None:
    make_request(news)
    out = StringIO()
    call_command("sweep", stdout=out)
    assert out.getvalue().startswith("ran 1, pruned 0")
    assert Request.objects.get().status == "completed"


def test_command__what_it_hands_out_runs_in_it(news: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no worker runs, nobody else would until the next sweep, and then one row at a time."""
    rows = iter(range(3))

    def hand_out() -> int:
        if next(rows, None) is None:
            return 0
        make_request(news)
        return 1

    monkeypatch.setattr(sweep, "_SWEEPS", {"drained": hand_out})
    out = StringIO()
    call_command("sweep", "--format", "json", stdout=out)
    assert json.loads(out.getvalue()) == {"ran": 3, "pruned": 0, "drained": 3}
    assert set(Request.objects.values_list("status", flat=True)) == {"completed"}


def test_command__counts_for_programs(news: Session) -> None:
    make_request(news)
    out = StringIO()
    call_command("sweep", "--format", "json", stdout=out)
    assert json.loads(out.getvalue()).items() >= {"ran": 1, "pruned": 0}.items()
