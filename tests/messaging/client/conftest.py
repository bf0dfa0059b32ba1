"""The client's commands, carried to the API without a socket."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.test import Client

from messaging.client import wire
from messaging.client.main import main
from tests.messaging.inbox.conftest import Mate, admit, inbox, team
from workforce.models import Organization

__all__ = ["Mate", "Organization", "admit", "inbox", "team"]


@dataclass
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def answer(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self.out)
        return answer

    @property
    def problem(self) -> dict[str, Any]:
        problem: dict[str, Any] = json.loads(self.err)
        return problem


@dataclass
class Calls:
    """What went over the wire."""

    seen: list[dict[str, Any]] = field(default_factory=list)


Command = Callable[..., Ran]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    found = Calls()

    def once(
        self: wire.Wire, method: str, target: str, content: bytes | None, headers: dict[str, str], wait: float
    ) -> dict[str, Any]:
        sent = {**self._own(), **headers}
        found.seen.append({"method": method, "target": target, "headers": sent, "body": content})
        answer = Client().generic(
            method, target, data=content or b"", content_type="application/json", headers=sent
        )
        return wire._read("desk", answer.status_code, answer.content)

    monkeypatch.setattr(wire.Wire, "_once", once)
    return found


@pytest.fixture
def run(calls: Calls, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """``run(mate, "pull", "--json")``; ``stdin=`` is what the command may read."""

    def run(mate: Mate, *arguments: str, stdin: str = "") -> Ran:
        monkeypatch.setenv("WORKFORCE_URL", "http://desk")
        monkeypatch.setenv("WORKFORCE_INBOX", mate.inbox.slug)
        monkeypatch.setenv("WORKFORCE_KEY", mate.key)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capsys.readouterr()
        try:
            code = main(arguments)
        except SystemExit as error:
            code = int(error.code or 0)
        return Ran(code, *capsys.readouterr())

    return run
