"""One queue, or a broker that is away, holds nobody else up."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Mailbox, Player
from tests.workforce.dispatch.queues import make_request
from workforce.dispatch.run import RUN_ON, run_queue
from workforce.models import Item, Request


def test_run_queue__what_waits_behind_runs_in_order_and_others_get_a_turn(
    mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    monkeypatch.setattr("workforce.dispatch.run.nudge", told.append)
    news = mailbox("team.news", kind="announcements")
    queue = [make_request(news) for _ in range(RUN_ON + 3)]
    assert run_queue(queue[0].uid) == RUN_ON + 1
    ran = list(Item.objects.order_by("seq").values_list("request_id", flat=True))
    assert ran == [request.uid for request in queue[: RUN_ON + 1]]
    assert told == [queue[RUN_ON + 1].uid]


def test_run_queue__the_first_that_a_run_owes_waits_for_no_message(
    owner: Player, mailbox: Mailbox, seat: Any
) -> None:
    mailbox(members=["support.lead", "support.night"])
    seat("support.lead")
    seat("support.night")
    owner.api.line("support.help")
    assert run_queue(Request.objects.get(action="onPosted").uid) == 2
    woken = Request.objects.filter(action="onMailboxPost").order_by("id")
    assert [request.finished for request in woken] == [True, False]
