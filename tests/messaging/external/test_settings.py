"""What a ``WORKER.md`` of the kind ``external`` may say, and what a load says about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from messaging.inbox.services.opening import create_inbox
from tests.conftest import Player
from tests.mailboxes.loads import load
from tests.messaging.inbox.conftest import admit
from tests.trees import record, write_tree
from workforce.models import Seat

pytestmark = pytest.mark.django_db
WREN = "teams/support/workers/wren/WORKER.md"


def tree(path: Path, *keys: str) -> Path:
    return write_tree(path / "tree", {WREN: record("\n".join(["flow: external", *keys]))})


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ((), ["inbox: is required", "passname: is required"]),
        (("passname: wren", "inbox:"), ["inbox: "]),
        (("passname: '9 lives'", "inbox: release"), ["passname: '9 lives' is no passname"]),
        (("passname: workforce", "inbox: release"), ["passname: 'workforce' is a reserved name"]),
        (("passname: wren", "inbox: Rel ease"), ["inbox: 'Rel ease' is no name of an inbox"]),
        (("passname: wren", "inbox: release", "modle: x"), ["'modle'"]),
        (("passname: wren", "inbox: release", "drains: [support.help.nope]"), ["drains: "]),
        (("passname: [wren]", "inbox: release"), ["passname: must be a string"]),
    ],
)
def test_load__refuses_in_words(
    owner: Player, tmp_path: Path, keys: tuple[str, ...], words: list[str]
) -> None:
    found = load(tree(tmp_path, *keys), "--organization", "acme", "--user", "ada", code=1)
    said = "\n".join(refusal["message"] for refusal in found["refusals"])
    assert all(word in said for word in words), said
    assert not Seat.objects.exists()


def test_load__warns_while_nobody_is_outside(owner: Player, tmp_path: Path) -> None:
    root = tree(tmp_path, "passname: Wren", "inbox: release")
    found = load(root, "--organization", "acme", "--user", "ada")
    (warning,) = found["warnings"]
    assert "support.wren" in warning and "manage.py actor add wren --inbox release" in warning
    assert Seat.objects.get().kind == "external"
    admit(create_inbox(organization=owner.organization, slug="release"), "wren", user=owner.user)
    assert load(root, "--organization", "acme", "--user", "ada")["warnings"] == []
