"""Hiring the workers of a tree, and installing its documents."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mailboxes.loads import load, nothing_written
from tests.trees import record, remove, write_tree
from workforce.models import Document, InventorySeat, Seat

CHIEF = "org/workers/chief/WORKER.md"
LEAD = "teams/eng/workers/lead/WORKER.md"
TEAM = "teams/eng/TEAM.md"
STYLE = "org/resources/style.md"
GUIDE = "teams/eng/resources/guide.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        CHIEF: record("model: offline:extract", "You lead."),
        LEAD: record("concurrency: 2", "You build."),
        TEAM: record("", "We ship."),
        STYLE: record("", "Short words."),
        GUIDE: record("", "Long words."),
    }
    return write_tree(tmp_path, files)


def test_hire__seats_with_what_their_files_say(organization, user, root) -> None:
    assert load(root)["hired"] == ["chief", "eng.lead"]
    seat = Seat.objects.get(seat_id="eng.lead")
    assert (seat.owner, seat.organization, seat.kind, seat.retired_at) == (None, organization, "agent", None)
    assert (seat.instructions, seat.team_instructions) == ("You build.", "We ship.")
    assert seat.settings == {"concurrency": 2}
    assert sorted(InventorySeat.objects.values_list("seat_id", "kind")) == [
        ("chief", "agent"),
        ("eng.lead", "agent"),
    ]


@pytest.mark.parametrize(
    "change",
    [
        {LEAD: record("concurrency: 2", "You repair.")},
        {LEAD: record("concurrency: 3", "You build.")},
        {LEAD: record("concurrency: 2", "You build.", description="Else.")},
        {TEAM: record("", "We wait.")},
    ],
)
def test_change__any_part_of_a_seat(organization, user, root, change) -> None:
    load(root)
    before = Seat.objects.get(seat_id="eng.lead")
    write_tree(root, change)
    report = load(root)
    assert (report["changed"], report["hired"], report["retired"]) == (["eng.lead"], [], [])
    after = Seat.objects.get(seat_id="eng.lead")
    assert (
        after.pk == before.pk and after.changed_at > before.changed_at and after.hired_at == before.hired_at
    )
    with nothing_written():
        assert load(root)["changed"] == []


def test_retire__a_worker_that_left_and_hire_it_again(organization, user, root) -> None:
    load(root)
    remove(root, LEAD)
    assert load(root)["retired"] == ["eng.lead"]
    gone = Seat.objects.get(seat_id="eng.lead")
    assert gone.retired_at is not None and InventorySeat.objects.filter(seat_id="eng.lead").exists()
    with nothing_written():
        assert load(root)["retired"] == []
    write_tree(root, {LEAD: record("", "You are back.")})
    report = load(root)
    assert (report["hired"], report["changed"]) == (["eng.lead"], [])
    back = Seat.objects.get(seat_id="eng.lead")
    assert (back.pk, back.retired_at, back.instructions) == (gone.pk, None, "You are back.")


def test_hire__does_not_touch_a_users_own_seat_of_the_same_id(organization, user, root) -> None:
    own = Seat.objects.create(
        organization=organization, owner=user, seat_id="chief", kind="agent", description="Mine."
    )
    other = Seat.objects.create(
        organization=organization, owner=user, seat_id="pet", kind="agent", description="Pet."
    )
    report = load(root)
    assert (report["hired"], report["retired"]) == (["chief", "eng.lead"], [])
    own.refresh_from_db()
    other.refresh_from_db()
    assert (own.description, own.retired_at, other.retired_at) == ("Mine.", None, None)


def test_install__documents_of_the_organization_and_of_teams(organization, user, root) -> None:
    assert load(root)["changed"] == ["document eng.guide", "document style"]
    rows = Document.objects.values_list("document_id", "team", "body", "description")
    assert sorted(rows) == [
        ("eng.guide", "eng", "Long words.", "What it is for."),
        ("style", "", "Short words.", "What it is for."),
    ]


def test_install__change_retire_and_return(organization, user, root) -> None:
    load(root)
    write_tree(root, {STYLE: record("", "Shorter words.")})
    assert load(root)["changed"] == ["document style"]
    assert Document.objects.get(document_id="style").body == "Shorter words."
    (root / STYLE).unlink()
    report = load(root)
    assert (report["retired"], report["changed"]) == (["document style"], [])
    assert Document.objects.get(document_id="style").retired_at is not None
    with nothing_written():
        load(root)
    write_tree(root, {STYLE: record("", "Shorter words.")})
    assert load(root)["changed"] == ["document style"]
    assert Document.objects.get(document_id="style").retired_at is None
