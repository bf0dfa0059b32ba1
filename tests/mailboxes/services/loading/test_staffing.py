"""The workers that a load gives to boards."""

from __future__ import annotations

from pathlib import Path

import pytest

from boards.models import BoardWorker
from tests.mailboxes.loads import load, nothing_written
from tests.trees import record, remove, write_tree

DRAINS = "drains: [support.help.todo]"
TREE = {
    "teams/support/mailboxes/help/MAILBOX.md": record("boards: [todo, ideas]"),
    "teams/support/workers/lead/WORKER.md": record("drains: [support.help.todo, support.help.ideas]"),
    "teams/sales/workers/lead/WORKER.md": record(DRAINS),
    "teams/sales/workers/closer/WORKER.md": record(DRAINS),
    "teams/sales/workers/idle/WORKER.md": record("boardTools: [support.help.todo]"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path, TREE)


def keys() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for board, key in BoardWorker.objects.values_list("board__board_id", "key"):
        found.setdefault(board, []).append(key)
    return {board: sorted(names) for board, names in found.items()}


def test_staff__local_names_and_full_ids_where_two_share_one(organization, user, root) -> None:
    load(root)
    assert keys() == {
        "support.help.todo": ["closer", "sales.lead", "support.lead"],
        "support.help.ideas": ["lead"],
    }
    with nothing_written():
        load(root)


def test_staff__is_settled_at_every_load(organization, user, root) -> None:
    load(root)
    remove(root, "teams/sales/workers/lead/WORKER.md")
    write_tree(root, {"teams/sales/workers/closer/WORKER.md": record()})
    load(root)
    assert keys() == {"support.help.todo": ["lead"], "support.help.ideas": ["lead"]}


def test_staff__a_worker_that_is_broken_today_keeps_its_boards(organization, user, root) -> None:
    load(root)
    write_tree(root, {"teams/sales/workers/closer/WORKER.md": "no frontmatter"})
    load(root, "--skip-broken", code=3)
    assert keys()["support.help.todo"] == ["closer", "sales.lead", "support.lead"]
