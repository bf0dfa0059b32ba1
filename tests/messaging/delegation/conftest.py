"""An office for each test, and an evaluator that does as it is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.conftest import Player
from tests.messaging.delegation.offices import Judge, Office
from workforce import evaluating
from workforce.models import Session
from workforce.turns.models import forget_model


@pytest.fixture
def office(owner: Player) -> Iterator[Office]:
    made = Office(owner)
    made.register()
    yield made
    forget_model("office:")


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Judge:
    made = Judge()
    monkeypatch.setattr(evaluating, "_JUDGES", [made])
    return made


@pytest.fixture
def talk(office: Office) -> Session:
    """A conversation of an agent with one delegate."""
    return office.lead("", "scout", kind="agent")
