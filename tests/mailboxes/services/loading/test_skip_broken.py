"""What is broken today keeps what was live; what is sound goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from boards.models import Board
from mailboxes.models import Declaration, RoomTemplate
from tests.mailboxes.loads import all_rows, load, nothing_written
from tests.trees import record, remove, write_tree
from workforce.models import Document, Seat

HELP = "teams/eng/mailboxes/help/MAILBOX.md"
LEAD = "teams/eng/workers/lead/WORKER.md"
CHIEF = "org/workers/chief/WORKER.md"
TEAM = "teams/eng/TEAM.md"
GUIDE = "teams/eng/resources/guide.md"
STYLE = "org/resources/style.md"
PROJECTS = "org/resources/projects.yaml"
NEW = "teams/ops/workers/night/WORKER.md"
BROKEN = "no frontmatter"


@pytest.fixture
def root(tmp_path: Path, organization, user) -> Path:
    files = {
        HELP: record("boards: [todo]"),
        LEAD: record("", "You build."),
        CHIEF: record("", "You lead."),
        TEAM: record("", "We ship."),
        GUIDE: record("", "Long words."),
        STYLE: record("", "Short words."),
        PROJECTS: "talk: {seats: [chief], charter: One.}",
    }
    write_tree(tmp_path, files)
    load(tmp_path)
    return tmp_path


def live() -> tuple[list[str], ...]:
    return (
        sorted(Seat.objects.filter(retired_at=None).values_list("seat_id", flat=True)),
        sorted(Document.objects.filter(retired_at=None).values_list("document_id", flat=True)),
        sorted(Declaration.objects.filter(live=True).values_list("mailbox_id", flat=True)),
        sorted(Board.objects.filter(live=True).values_list("board_id", flat=True)),
        sorted(RoomTemplate.objects.values_list("site", flat=True)),
    )


def test_stop__without_the_option_nothing_is_changed(root) -> None:
    write_tree(root, {HELP: BROKEN, NEW: record()})
    with nothing_written():
        report = load(root, code=1)
    assert [problem["path"] for problem in report["problems"]] == ["teams/eng/mailboxes/help"]
    assert report["hired"] == []


@pytest.mark.parametrize("path", [HELP, LEAD, CHIEF, GUIDE, STYLE, PROJECTS])
def test_keep__a_broken_record_and_load_the_rest(root, path) -> None:
    before, rows = live(), all_rows()
    write_tree(root, {path: "talk: [" if path == PROJECTS else BROKEN})
    report = load(root, "--skip-broken", code=3)
    assert len(report["problems"]) == 1 and report["refusals"] == []
    assert (report["retired"], report["changed"], report["undeclared"]) == ([], [], [])
    assert live() == before and all_rows() == rows


def test_keep__while_a_sound_record_is_hired(root) -> None:
    write_tree(root, {LEAD: BROKEN, NEW: record()})
    report = load(root, "--skip-broken", code=3)
    assert (report["hired"], report["retired"]) == (["ops.night"], [])
    assert Seat.objects.get(seat_id="eng.lead").instructions == "You build."


@pytest.mark.parametrize(
    "slot", ["teams/eng/mailboxes", "teams/eng/workers", "teams/eng/resources", "teams/eng", "teams", "org"]
)
def test_keep__everything_under_an_unreadable_slot(root, slot) -> None:
    before = live()
    (root / slot).rename(root / "aside")
    (root / slot).write_text("a plain file")
    kept = slot == "teams/eng"  # a loose file among the teams is passed over: that team left the tree
    code = 0 if kept else 3
    if kept:
        (root / slot).unlink()
        (root / slot).symlink_to(root / "aside")
        code = 3
    report = load(root, "--skip-broken", code=code)
    assert [problem["kind"] for problem in report["problems"]] == ["unreadable-slot"]
    assert live() == before and report["retired"] == []


def test_keep__is_for_what_is_broken_only(root) -> None:
    write_tree(root, {LEAD: BROKEN})
    remove(root, CHIEF)
    (root / PROJECTS).unlink()
    report = load(root, "--skip-broken", code=3)
    assert report["retired"] == ["chief"]
    assert Seat.objects.get(seat_id="eng.lead").retired_at is None
    assert not RoomTemplate.objects.exists()


def test_keep__the_team_instructions_of_a_broken_team_file(root) -> None:
    write_tree(
        root, {TEAM: BROKEN, LEAD: record("", "You repair."), "teams/eng/workers/new/WORKER.md": record()}
    )
    report = load(root, "--skip-broken", code=3)
    assert (report["changed"], report["hired"]) == (["eng.lead"], ["eng.new"])
    lead, new = Seat.objects.get(seat_id="eng.lead"), Seat.objects.get(seat_id="eng.new")
    assert (lead.instructions, lead.team_instructions, new.team_instructions) == (
        "You repair.",
        "We ship.",
        "We ship.",
    )


def test_keep__a_mailbox_whose_file_went_back_to_its_old_name(root) -> None:
    before = live()
    remove(root, HELP)
    write_tree(root, {"teams/eng/channels/help/CHANNEL.md": record()})
    report = load(root, "--skip-broken", code=3)
    assert [problem["kind"] for problem in report["problems"]] == ["pre-rename-record"]
    assert live() == before and report["undeclared"] == []


def test_keep__a_mailbox_with_an_old_file_beside_the_new_one(root) -> None:
    before = live()
    write_tree(root, {"teams/eng/mailboxes/help/CHANNEL.md": record()})
    load(root, "--skip-broken", code=3)
    assert live() == before


def test_refuse__what_binding_refuses_also_with_the_option(root) -> None:
    write_tree(root, {LEAD: BROKEN, HELP: record("member: []")})
    with nothing_written():
        report = load(root, "--skip-broken", code=1)
    assert [refusal["id"] for refusal in report["refusals"]] == ["eng.help"]
    assert len(report["problems"]) == 1


def test_skip__nothing_to_skip_is_exit_code_0(root) -> None:
    with nothing_written():
        load(root, "--skip-broken")


@pytest.mark.parametrize(
    ("path", "change"),
    [
        (LEAD, {HELP: record("members: [eng.lead]\nrouting: {fallback: eng.lead}\nboards: [todo]")}),
        (LEAD, {CHIEF: record("delegates: [eng.lead]", "You lead.")}),
        (HELP, {CHIEF: record("drains: [eng.help.todo]", "You lead.")}),
        (GUIDE, {LEAD: record("resources: [guide]", "You build.")}),
        (CHIEF, {PROJECTS: "talk: {seats: [chief], charter: Two.}"}),
    ],
)
def test_keep__what_is_live_may_be_named_by_a_sound_record(root, path, change) -> None:
    before = live()
    write_tree(root, {path: BROKEN, **change})
    report = load(root, "--skip-broken", code=3)
    assert len(report["changed"]) == 1 and report["retired"] == []
    assert live() == before
    assert not [line for line in report["warnings"] if "no seat" in line]


def test_refuse__what_is_broken_and_was_never_live_may_not_be_named(root) -> None:
    write_tree(root, {NEW: BROKEN, CHIEF: record("delegates: [ops.night]", "You lead.")})
    with nothing_written():
        report = load(root, "--skip-broken", code=1)
    assert [refusal["id"] for refusal in report["refusals"]] == ["chief"]
    assert "'ops.night'" in report["refusals"][0]["message"]
