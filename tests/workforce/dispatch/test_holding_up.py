"""One queue, or a broker that is away, holds nobody else up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Mailbox, Player
from tests.workforce.dispatch.queues import make_request
from workforce.dispatch import start
from workforce.dispatch.run import RUN_ON, run_queue
from workforce.models import Item, Request

ROOT = Path(__file__).resolve().parents[3]


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


def test_nudge__a_broker_that_is_away_is_asked_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def refuse(*words: Any, **options: Any) -> None:
        asked.append(words)
        raise ConnectionError("away")

    monkeypatch.setattr(start.current_app, "send_task", refuse)
    monkeypatch.setattr(start, "_away_until", 0.0)
    for _ in range(3):
        start.nudge(Request().uid)
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("name", "value"), [("HISTORY_WINDOW", "abc"), ("DISPATCH", "maybe"), ("DEBUG", "x")]
)
def test_start__a_bad_setting_is_named_in_one_line(name: str, value: str) -> None:
    env = {**os.environ, "DEBUG": "1", name: value, "DJANGO_SETTINGS_MODULE": "workforce_site.settings"}
    ran = subprocess.run(
        [sys.executable, "manage.py", "check"], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert ran.returncode == 1
    assert name in ran.stderr and "Traceback" not in ran.stderr
