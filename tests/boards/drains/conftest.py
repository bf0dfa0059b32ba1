"""A shift for each test: a mailbox, its board, handlers that do as they are told, and a kind that plays a script."""

from __future__ import annotations

import pytest

from tests.boards.drains.shifts import Puppet, Shift
from tests.boards.ledgers import Ledger
from tests.conftest import Mailbox
from workforce.kinds import handlers, registry


@pytest.fixture
def puppet(monkeypatch: pytest.MonkeyPatch) -> Puppet:
    kind = Puppet()
    monkeypatch.setattr(registry, "_KINDS", {**registry._KINDS, "puppet": kind})
    return kind


@pytest.fixture
def shift(mailbox: Mailbox, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> Shift:
    shift = Shift(ledger, mailbox("support.help"))
    monkeypatch.setattr(handlers, "_HANDLERS", {"scripted": shift.handle})
    return shift
