"""The sweep of rows that nobody claims."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import DatabaseError

from boards.services import sweeping
from boards.services.claiming import renew_lease
from boards.services.sweeping import settle_abandoned
from tests.boards.ledgers import Ledger, Moment, unwritten
from workforce.dispatch import sweep


def abandon(ledger: Ledger, moment: Moment, times: int) -> Any:
    """A row whose workers died so often; its lease has lapsed."""
    task = ledger.file()
    for _ in range(times):
        taken, _ticket = ledger.take(lease=1)
        assert taken.pk == task.pk
        moment.go(1)
    return ledger.see(task)


@pytest.mark.parametrize("times", [1, 2, 3])
def test_settle__leaves_what_may_be_claimed_again_and_counts_nothing(
    ledger: Ledger, moment: Moment, times: int
) -> None:
    abandon(ledger, moment, times)
    with unwritten():
        assert settle_abandoned() == 0


def test_settle__the_fourth_run(ledger: Ledger, moment: Moment) -> None:
    task = abandon(ledger, moment, 4)
    assert settle_abandoned() == 1
    task = ledger.see(task)
    assert (task.status, task.abandonments, task.attempts) == ("errored", 3, 4)
    assert "stopped renewing 4 times" in task.error
    with unwritten():
        assert settle_abandoned() == 0


def test_settle__not_a_row_that_was_renewed_meanwhile(
    ledger: Ledger, moment: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    abandon(ledger, moment, 3)
    task, ticket = ledger.take(lease=1)
    moment.go(1)
    give_up = sweeping.give_up

    def renewed_first(**arguments: Any) -> bool:
        ledger.do(renew_lease, task, ticket=ticket)
        return give_up(**arguments)

    monkeypatch.setattr(sweeping, "give_up", renewed_first)
    assert settle_abandoned() == 0
    assert ledger.see(task).status == "in_progress"


def test_settle__one_bad_row_does_not_stop_the_others(
    ledger: Ledger, moment: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = abandon(ledger, moment, 4)
    type(bad).objects.filter(pk=bad.pk).update(rank=-1)
    good = ledger.file()
    type(bad).objects.filter(pk=good.pk).update(
        status="in_progress", attempts=4, abandonments=3, lease_until=moment.now
    )
    give_up = sweeping.give_up

    def breaks(**arguments: Any) -> bool:
        if arguments["task"].pk == bad.pk:
            raise DatabaseError("torn page")
        return give_up(**arguments)

    monkeypatch.setattr(sweeping, "give_up", breaks)
    assert settle_abandoned() == 1
    assert (ledger.see(bad).status, ledger.see(good).status) == ("in_progress", "errored")


def test_sweep__runs_the_boards_too(ledger: Ledger, moment: Moment) -> None:
    abandon(ledger, moment, 4)
    counts = sweep.run_registered()
    assert counts["settled"] == 1
    assert counts["told"] == 6
    assert sweep.run_registered() == {}


def test_sweep__one_that_fails_stops_no_other(
    ledger: Ledger, moment: Moment, monkeypatch: pytest.MonkeyPatch
) -> None:
    abandon(ledger, moment, 4)

    def fails() -> int:
        raise RuntimeError("out of order")

    monkeypatch.setattr(sweep, "_SWEEPS", {"first": fails, **sweep._SWEEPS})
    assert sweep.run_registered()["settled"] == 1
