"""The inbox's team, with digests that are due when a test says so."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pydantic import TypeAdapter

from messaging.digests.api import DigestAnswer
from messaging.digests.models import DigestSubscription
from messaging.digests.periods import begin_of
from messaging.inbox.models import Receipt
from tests.messaging.inbox.conftest import Mate, boss, coder, done, elsewhere, inbox, planner, reviewer, team
from workforce import clock

__all__ = ["boss", "coder", "elsewhere", "inbox", "planner", "reviewer", "team"]


@pytest.fixture(autouse=True)
def channels(settings: Any) -> None:
    """Both channels are set up; mail stays in memory."""
    settings.EMAIL_URL = "memorymail://"
    settings.TELEGRAM_BOT_TOKEN = "42:secret-token"
    settings.PUBLIC_URL = "https://workforce.example/"


def ask(mate: Mate, **body: Any) -> Any:
    return mate.api.call("PUT", "/api/digests", {"channel": "email", "cadence": "hourly", **body})


def subscribe(mate: Mate, **body: Any) -> DigestSubscription:
    answer = ask(mate, address="ops@example.com", **body) if "address" not in body else ask(mate, **body)
    TypeAdapter(DigestAnswer).validate_python(done(answer))
    return DigestSubscription.objects.get(actor=mate.actor, channel=body.get("channel", "email"))


def make_due(hours: float = 2) -> None:
    """As if so many hours had passed for digests; what was sent is in the period."""
    now = clock.now()
    DigestSubscription.objects.update(
        covered_until=now - timedelta(hours=hours), next_at=now - timedelta(seconds=1)
    )
    Receipt.objects.update(created_at=begin_of(now, "hourly") - timedelta(minutes=20))
