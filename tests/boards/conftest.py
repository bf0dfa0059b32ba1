"""A board of the owner's organization, for tests of the services."""

from __future__ import annotations

import pytest

from tests.boards.ledgers import Ledger, Moment, make_board
from workforce import clock
from workforce.models import Organization


@pytest.fixture
def ledger(organization: Organization) -> Ledger:
    return Ledger(make_board(organization))


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> Moment:
    """The clock stands still until the test moves it."""
    still = Moment(clock.now())
    monkeypatch.setattr(clock, "now", lambda: still.now)
    return still
