"""What counts at every load: boards, routing, board actions, templates; and what left the tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from boards.models import Board
from mailboxes.models import Declaration, RoomTemplate
from tests.mailboxes.loads import load, nothing_written
from tests.trees import record, remove, write_tree
from workforce.callers import Caller
from workforce.models import InventoryMailbox, InventoryMembership, Session
from workforce.services.running import ActionCall, run_action

HELP = "teams/support/mailboxes/help/MAILBOX.md"
ROOM = "teams/support/mailboxes/room/MAILBOX.md"
LEAD = "teams/support/workers/lead/WORKER.md"
PROJECTS = "org/resources/projects.yaml"
KEYS = "members: [support.lead]\nrouting: {fallback: support.lead}\nboards: [todo, ideas]\nboardActions: true"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    lead = record("drains: [support.help.todo]\nboardTools: [support.help.ideas]")
    return write_tree(tmp_path, {HELP: record(KEYS), LEAD: lead})


def boards() -> dict[str, tuple[bool, bool]]:
    return {board.board_id: (board.actions, board.live) for board in Board.objects.all()}


def test_declare__boards_routing_and_actions_are_live(organization, user, root) -> None:
    load(root)
    row = Declaration.objects.get()
    assert (row.mailbox_id, row.boards, row.fallback) == ("support.help", ["todo", "ideas"], "support.lead")
    assert row.board_actions and row.live and not row.is_template
    assert boards() == {"support.help.todo": (True, True), "support.help.ideas": (True, True)}
    board = Board.objects.get(board_id="support.help.todo")
    assert (board.mailbox_id, board.name, board.organization) == ("support.help", "todo", organization)


def test_declare__a_change_counts_at_the_next_load(organization, user, root) -> None:
    load(root)
    write_tree(root, {HELP: record("members: [support.lead]\nboards: [todo, wishes]"), LEAD: record()})
    report = load(root)
    assert report["changed"] == ["support.lead", "support.help"]
    row = Declaration.objects.get()
    assert (row.boards, row.fallback, row.board_actions) == (["todo", "wishes"], "", False)
    assert boards() == {
        "support.help.todo": (False, True),
        "support.help.ideas": (True, False),
        "support.help.wishes": (False, True),
    }


def test_leave__the_mailbox_stays_open_and_nothing_of_it_is_live(organization, user, root) -> None:
    load(root)
    before = Session.objects.values().get()
    remove(root, HELP)
    write_tree(root, {LEAD: record()})
    report = load(root)
    assert report["undeclared"] == ["support.help"] and "support.help" in report["changed"]
    assert Session.objects.values().get() == before
    assert not Declaration.objects.get().live
    assert {live for _actions, live in boards().values()} == {False}
    assert InventoryMailbox.objects.count() == 1 and InventoryMembership.objects.count() == 1
    with nothing_written():
        report = load(root)
    assert report["undeclared"] == ["support.help"] and report["changed"] == []


def test_return__is_live_again(organization, user, root) -> None:
    load(root)
    files = {HELP: (root / HELP).read_text(), LEAD: (root / LEAD).read_text()}
    remove(root, HELP)
    write_tree(root, {LEAD: record()})
    load(root)
    write_tree(root, files)
    report = load(root)
    assert report["undeclared"] == [] and report["unchanged"] == ["support.help"]
    assert report["changed"] == ["support.lead", "support.help"]
    assert Declaration.objects.get().live
    assert {live for _actions, live in boards().values()} == {True}


def test_template__is_stored_and_never_opened(organization, user, root) -> None:
    write_tree(root, {ROOM: record("mintFor: projects\nmembers: [support.lead]", "Be kind.")})
    report = load(root)
    assert report["opened"] == ["support.help"] and "projects" in report["changed"]
    template = RoomTemplate.objects.get()
    assert (template.site, template.seats, template.charter) == ("support.room", ["support.lead"], "Be kind.")
    assert Declaration.objects.get(mailbox_id="support.room").is_template
    assert not Session.objects.filter(address="support.room").exists()
    assert not InventoryMailbox.objects.filter(mailbox_id="support.room").exists()
    with nothing_written():
        assert load(root)["unchanged"] == ["support.help"]


def test_template__of_an_open_mailbox_closes_nothing_and_leaves_the_inventory(
    organization, user, root
) -> None:
    load(root)
    write_tree(root, {HELP: record("mintFor: projects\nmembers: [support.lead]"), LEAD: record()})
    report = load(root)
    assert (report["opened"], report["unchanged"], report["undeclared"]) == ([], [], [])
    assert "support.help" in report["changed"]
    assert Session.objects.filter(address="support.help").exists()
    assert not InventoryMailbox.objects.exists() and not InventoryMembership.objects.exists()
    assert {live for _actions, live in boards().values()} == {False}


def test_template__follows_projects_yaml_and_goes_with_it(organization, user, root) -> None:
    write_tree(root, {PROJECTS: "talk: {seats: [support.lead], charter: One.}"})
    assert "projects" in load(root)["changed"]
    write_tree(root, {PROJECTS: "talk: {seats: [support.lead], charter: Two.}"})
    assert load(root)["changed"] == ["projects"]
    assert (RoomTemplate.objects.get().site, RoomTemplate.objects.get().charter) == (PROJECTS, "Two.")
    (root / PROJECTS).unlink()
    assert load(root)["changed"] == ["projects"]
    assert not RoomTemplate.objects.exists()


def test_warn__of_boards_that_nobody_works_and_members_without_a_seat(organization, user, root) -> None:
    members = "members: [support.lead, support.ghost, alice]\nboards: [todo, ideas, wishes]"
    write_tree(root, {HELP: record(members)})
    warnings = load(root)["warnings"]
    assert [
        line for line in warnings if "'support.help.wishes'" in line and line.startswith("support.help: ")
    ]
    assert not [line for line in warnings if "todo" in line or "ideas" in line]
    [alone] = [line for line in warnings if "members" in line]
    assert "'support.ghost', 'alice'" in alone and "support.lead" not in alone


def test_warn__of_nothing_in_a_sound_tree(organization, user, root) -> None:
    assert load(root)["warnings"] == []


def test_template__of_an_open_mailbox_is_what_posts_are_told_until_it_is_a_mailbox_again(
    organization, user, root
) -> None:
    load(root)

    def post() -> tuple[str, dict[str, object] | None]:
        asked = ActionCall(kind="mailbox", action="post", address="support.help", input={"body": "Hello"})
        request = run_action(caller=Caller(user=user, organization=organization), asked=asked)
        return request.status, request.error

    assert post()[0] == "completed"
    write_tree(root, {HELP: record("mintFor: projects\nmembers: [support.lead]"), LEAD: record()})
    load(root)
    status, error = post()
    assert (status, error["code"]) == ("failed", "mailbox-is-a-template")
    lead = record("drains: [support.help.todo]\nboardTools: [support.help.ideas]")
    write_tree(root, {HELP: record(KEYS), LEAD: lead})
    load(root)
    assert post()[0] == "completed"
