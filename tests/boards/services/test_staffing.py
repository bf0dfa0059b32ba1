"""The workers of a board and their keys."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from boards.models import BoardWorker
from boards.selectors.figures import board_figures
from boards.selectors.workers import is_orphaned, worker_keys
from boards.services.staffing import keys_of, settle_workers
from boards.transitions import Status
from tests.boards.ledgers import ENDINGS, Ledger, facts, make_board, replay, unwritten
from workforce.models import Organization


@pytest.mark.parametrize(
    ("workers", "keys"),
    [
        ([], {}),
        (["eng.analyst"], {"eng.analyst": "analyst"}),
        (["eng.analyst", "eng.analyst"], {"eng.analyst": "analyst"}),
        (["chief", "eng.lead"], {"chief": "chief", "eng.lead": "lead"}),
        (
            ["eng.analyst", "ops.analyst", "ops.lead"],
            {"eng.analyst": "eng.analyst", "ops.analyst": "ops.analyst", "ops.lead": "lead"},
        ),
        (["analyst", "eng.analyst"], {"analyst": "analyst", "eng.analyst": "eng.analyst"}),
    ],
)
def test_keys_of__local_name_unless_two_share_it(workers: list[str], keys: dict[str, str]) -> None:
    assert keys_of(workers) == keys


def present() -> set[tuple[str, str, str]]:
    return set(BoardWorker.objects.values_list("board__board_id", "worker_id", "key"))


def test_settle__writes_only_what_differs(organization: Organization, ledger: Ledger) -> None:
    make_board(organization, "a.b.c")
    settle_workers(
        organization=organization,
        drains={"support.help.todo": ["x.wren", "y.lead"], "a.b.c": ["x.wren"], "no.such.one": ["x"]},
    )
    assert present() == {
        ("support.help.todo", "x.wren", "wren"),
        ("support.help.todo", "y.lead", "lead"),
        ("a.b.c", "x.wren", "wren"),
    }
    kept = set(BoardWorker.objects.values_list("pk", "worker_id"))
    settle_workers(
        organization=organization, drains={"support.help.todo": ["y.lead", "x.wren"], "a.b.c": ["x.wren"]}
    )
    assert set(BoardWorker.objects.values_list("pk", "worker_id")) == kept
    settle_workers(organization=organization, drains={"support.help.todo": ["x.wren", "z.wren"]})
    assert present() == {("support.help.todo", "x.wren", "x.wren"), ("support.help.todo", "z.wren", "z.wren")}
    settle_workers(organization=organization, drains={})
    assert present() == set()


def test_settle__not_the_boards_of_another_organization(
    organization: Organization, ledger: Ledger, outsider: object
) -> None:
    other = make_board(outsider.organization)  # type: ignore[attr-defined]
    BoardWorker.objects.create(board=other, worker_id="x.wren", key="wren")
    settle_workers(organization=organization, drains={})
    assert BoardWorker.objects.get().board == other


@pytest.fixture
def wren(organization: Organization, ledger: Ledger) -> Callable[..., None]:
    """Has these workers drain the board: ``wren("x.wren", "z.wren")``."""

    def settle(*workers: str) -> None:
        settle_workers(organization=organization, drains={ledger.board.board_id: workers})

    settle("x.wren")
    return settle


@pytest.mark.parametrize("status", Status)
def test_settle__open_rows_follow_the_key_of_their_worker(
    ledger: Ledger, wren: Callable[..., None], status: Status
) -> None:
    """A second worker of its local name makes the short key ambiguous; the rows are still for the first."""
    task = ledger.row_in(status, assignee="wren")
    for workers, key in ((("x.wren", "z.wren"), "x.wren"), (("x.wren",), "wren")):
        before = ledger.see(task)
        if status in ENDINGS:
            with unwritten():
                wren(*workers)
            continue
        wren(*workers)
        row = ledger.see(task)
        assert (row.assignee, row.status, row.revision) == (key, status, before.revision + 1)
        event = ledger.last(task)
        assert (event.kind, event.changes, event.principal) == ("assignee_changed", {"assignee": key}, "")
    assert replay(ledger.see(task)) == facts(ledger.see(task))


def test_settle__a_held_row_that_follows_is_still_held(ledger: Ledger, wren: Callable[..., None]) -> None:
    ledger.file(assignee="wren")
    task, ticket = ledger.take(assignee="wren")
    wren("x.wren", "z.wren")
    assert ledger.complete(task, ticket=ticket).status == "completed"


def test_settle__a_newcomer_does_not_get_what_was_filed_for_another(
    ledger: Ledger, wren: Callable[..., None]
) -> None:
    """The full id of the newcomer is the short name of the one who was there."""
    task, free, other = ledger.file(assignee="wren"), ledger.file(), ledger.file(assignee="x.wren")
    wren("wren", "x.wren")
    assert present() == {
        ("support.help.todo", "wren", "wren"),
        ("support.help.todo", "x.wren", "x.wren"),
    }
    assert [ledger.see(row).assignee for row in (task, free, other)] == ["x.wren", "", "x.wren"]


def test_settle__rows_of_a_worker_that_left_stay_and_are_shown(
    ledger: Ledger, wren: Callable[..., None]
) -> None:
    ledger.row_in(Status.COMPLETED, assignee="wren")
    task = ledger.file(assignee="wren")
    ledger.file()
    with unwritten():
        wren("y.robin")
    row = ledger.see(task)
    assert board_figures([ledger.board])[ledger.board.pk]["orphaned"] == 1
    assert is_orphaned(row, worker_keys(ledger.board))
    wren()  # a board without workers: any key may be that of an outside one
    assert board_figures([ledger.board])[ledger.board.pk]["orphaned"] == 0


def test_settle__rows_of_another_board_do_not_follow(
    organization: Organization, ledger: Ledger, wren: Callable[..., None]
) -> None:
    other = Ledger(make_board(organization, "a.b.c"))
    task = other.file(assignee="wren")
    wren("x.wren", "z.wren")
    assert other.see(task).assignee == "wren"
