"""Messages about changes: after the commit, and few."""

from __future__ import annotations

from typing import Any

import pytest

from boards.services import nudging
from boards.services.settling import block_task
from boards.transitions import Status
from tests.boards.ledgers import Ledger, make_board, unwritten
from workforce.models import Organization


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    messages: list[Any] = []
    monkeypatch.setattr(nudging.SENDER, "put", lambda one: messages.append((one.task, list(one.args))))
    monkeypatch.setattr(nudging, "_sent", nudging._Sent())
    return messages


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(nudging.time, "monotonic", lambda: now[0])
    return now


def test_nudge__once_for_all_changes_until_the_message_is_due(
    ledger: Ledger,
    organization: Organization,
    sent: list[Any],
    seconds: list[float],
    django_capture_on_commit_callbacks: Any,
) -> None:
    other = Ledger(make_board(organization, "a.b.c"))
    with django_capture_on_commit_callbacks(execute=True):
        for each in (ledger, other, ledger):
            each.file()
        assert sent == []  # nothing is told before it is committed
    told = [(nudging.TELL_CHANGES, [organization.pk, mailbox]) for mailbox in ("support.help", "a.b")]
    assert sent == told
    for pause, count in ((0.1, 2), (0.1, 3), (0.1, 3), (0.1, 4)):
        seconds[0] += pause
        with django_capture_on_commit_callbacks(execute=True):
            ledger.file()
        assert len(sent) == count


def test_nudge__not_for_a_refusal(
    ledger: Ledger, sent: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    task = ledger.row_in(Status.COMPLETED)
    sent.clear()
    with (
        django_capture_on_commit_callbacks(execute=True),
        unwritten(),
        pytest.raises(Exception, match="final"),
    ):
        ledger.do(block_task, task)
    assert sent == []
