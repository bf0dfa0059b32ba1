"""Digests by Telegram: what the bot API may do, a failure tried again later, and a bound on its time."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import TypeAdapter

from messaging.digests import channels
from messaging.digests.api import DigestList
from messaging.digests.models import DigestSubscription
from messaging.digests.sending import send_due
from tests.fakes.telegram import FakeTelegram, Trickle
from tests.messaging.digests.conftest import make_due, subscribe
from tests.messaging.inbox.conftest import Mate, done
from workforce import clock


def test_telegram__a_failure_is_tried_again_later_and_shown(
    planner: Mate, coder: Mate, settings: Any
) -> None:
    subscribe(coder, channel="telegram", address="-1001")
    planner.send(to=["coder"])
    make_due()
    answers = [
        (500, {}),
        (429, {"ok": False}),
        (302, {}),
        (200, {"ok": False}),
        (200, b"no json"),
        (200, {"ok": True}),
    ]
    said = []
    with FakeTelegram(*answers) as fake:
        settings.TELEGRAM_API_URL = fake.url
        for _ in range(5):
            assert send_due() == 0
            assert send_due() == 0  # not before its pause is over
            row = DigestSubscription.objects.get()
            said.append(row.error)
            assert "secret-token" not in row.error
            DigestSubscription.objects.update(next_at=clock.now())
        assert (row.attempts, row.sending_until) == (5, None)
        shown = done(coder.api.get("/api/digests"))
        TypeAdapter(DigestList).validate_python(shown)
        assert shown["items"][0]["attempts"] == 5
        assert send_due() == 1
    assert said[:3] == ["Telegram answered 500", "Telegram answered 429", "Telegram answered 302"]
    assert [path for path, _ in fake.sent] == ["/bot42:secret-token/sendMessage"] * 6
    assert fake.sent[-1][1]["chat_id"] == "-1001"
    assert DigestSubscription.objects.get().attempts == 0


@pytest.mark.parametrize("part", ["head", "body"])
def test_telegram__that_trickles_is_left_when_its_time_is_over(
    planner: Mate, coder: Mate, settings: Any, monkeypatch: Any, part: str
) -> None:
    monkeypatch.setattr(channels, "TIMEOUT", 0.5)
    subscribe(coder, channel="telegram", address="5")
    planner.send(to=["coder"])
    make_due()
    with Trickle(part) as server:
        settings.TELEGRAM_API_URL = server.url
        assert send_due() == 0
        assert not server.is_through.is_set()
    assert "could not be reached" in DigestSubscription.objects.get().error


def test_telegram__not_reachable(planner: Mate, coder: Mate, settings: Any) -> None:
    settings.TELEGRAM_API_URL = "http://127.0.0.1:9"
    subscribe(coder, channel="telegram", address="5")
    planner.send(to=["coder"])
    make_due()
    assert send_due() == 0
    assert "could not be reached" in DigestSubscription.objects.get().error
