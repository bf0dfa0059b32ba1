"""The workers of a board and their keys."""

from __future__ import annotations

import pytest

from boards.models import BoardWorker
from boards.services.staffing import keys_of, settle_workers
from tests.boards.ledgers import Ledger, make_board
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
