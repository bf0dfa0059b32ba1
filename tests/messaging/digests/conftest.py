"""The inbox's team, with digests."""

from __future__ import annotations

from typing import Any

import pytest

from tests.messaging.inbox.conftest import boss, coder, elsewhere, inbox, planner, reviewer, team

__all__ = ["boss", "coder", "elsewhere", "inbox", "planner", "reviewer", "team"]


@pytest.fixture(autouse=True)
def channels(settings: Any) -> None:
    """Both channels are set up; mail stays in memory."""
    settings.EMAIL_URL = "memorymail://"
    settings.TELEGRAM_BOT_TOKEN = "42:secret-token"
    settings.PUBLIC_URL = "https://workforce.example/"
