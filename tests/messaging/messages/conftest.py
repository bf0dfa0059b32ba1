"""An office for each test, and kinds of workers that can not be messaged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

from tests.conftest import Player
from tests.messaging.messages.office import Office
from workforce.kinds import Action, ClosedModel, Mode, WorkerKind, registry
from workforce.kinds.messages import MessageDelivery
from workforce.turns.models import forget_model, register_model


class NoSettings(ClosedModel):
    """Nothing to set."""


class Hands(WorkerKind):
    """Only takes tasks."""

    name = "hands"
    settings = NoSettings

    def declare_actions(self) -> list[Action]:
        return [Action("work", NoSettings, lambda call: None, mode=Mode.BACKGROUND, public=False)]


class Spread(WorkerKind):
    """Hands everything on, as a coordinator by round-robin does."""

    name = "spread"
    settings = NoSettings

    def takes_turns(self, settings: BaseModel) -> bool:
        return False

    def declare_actions(self) -> list[Action]:
        return [
            Action("onWorkerMessage", MessageDelivery, lambda call: None, mode=Mode.BACKGROUND, public=False)
        ]


@pytest.fixture
def office(owner: Player, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    kinds: dict[str, Any] = {"hands": Hands(), "spread": Spread()}
    monkeypatch.setattr(registry, "_KINDS", {**registry._KINDS, **kinds})
    office = Office(owner)
    register_model("test:", office.model)
    yield office
    forget_model("test:")
