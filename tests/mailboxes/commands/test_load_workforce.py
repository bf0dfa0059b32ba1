"""The contract of ``manage.py load_workforce``: output, exit codes, whose and where."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.mailboxes.loads import load, nothing_written, run
from tests.trees import record, write_tree
from workforce.models import Membership, Organization, Seat, Session, User

HELP = "teams/support/mailboxes/help/MAILBOX.md"
LEAD = "teams/support/workers/lead/WORKER.md"
KEYS = [
    "problems", "refusals", "opened", "unchanged", "hired", "changed", "retired", "undeclared", "warnings"
]  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "tree", {HELP: record("members: [support.lead]"), LEAD: record()})


def test_json__has_nine_keys_in_order_whatever_happened(organization, user, root) -> None:
    assert list(load(root)) == KEYS
    assert list(load(root)) == KEYS
    write_tree(root, {HELP: record("member: []")})
    refused = load(root, code=1)
    assert list(refused) == KEYS and set(refused["refusals"][0]) == {"id", "message"}
    write_tree(root, {HELP: "broken"})
    broken = load(root, code=1)
    assert list(broken) == KEYS and set(broken["problems"][0]) == {"layer", "kind", "path", "message"}


def test_text__says_what_was_done_and_then_that_nothing_changed(organization, user, root) -> None:
    first = run("load_workforce", root)
    assert (first.code, first.err) == (0, "")
    assert "opened 1: 'support.help'" in first.out and "hired 1: 'support.lead'" in first.out
    second = run("load_workforce", root)
    assert second.code == 0 and "Nothing changed" in second.out
    assert "left alone: 1 open mailbox" in second.out


def test_text__problems_one_a_line(organization, user, root) -> None:
    write_tree(root, {HELP: "broken", "teams/support/mailboxes/Bad/MAILBOX.md": record()})
    with nothing_written():
        ran = run("load_workforce", root)
    assert ran.code == 1 and "Nothing was changed" in ran.err
    lines = ran.out.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("mailbox mailbox-load-failed teams/support/mailboxes/Bad: ")
    assert lines[1].startswith("mailbox mailbox-load-failed teams/support/mailboxes/help: ")


def test_text__refusals_together_with_a_header(organization, user, root) -> None:
    write_tree(root, {HELP: record("member: []"), LEAD: record("tool: []")})
    with nothing_written():
        ran = run("load_workforce", root)
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert lines[0].startswith("2 problems in 2 declarations")
    assert lines[1].startswith("support.lead: ") and lines[2].startswith("support.help: ")


def test_unchanged__only_reads(organization, user, root) -> None:
    load(root)
    with (
        nothing_written(),
        CaptureQueriesContext(
            connection,
        ) as queries,
    ):
        load(root)
    statements = [query["sql"] for query in queries.captured_queries]
    assert statements
    allowed = ("SELECT", "SAVEPOINT", "RELEASE SAVEPOINT", "BEGIN", "COMMIT")
    assert [statement for statement in statements if not statement.startswith(allowed)] == []


def test_load__costs_the_same_queries_for_more_mailboxes(organization, user, root) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            load(root)
        return len(captured)

    load(root)
    few = queries()
    path = "teams/support/mailboxes/box-{}/MAILBOX.md"
    write_tree(root, {path.format(number): record("members: [support.lead]") for number in range(40)})
    load(root)
    assert queries() == few


@pytest.mark.parametrize("content", [{}, {HELP: "broken"}, {HELP: record("member: []")}])
def test_check__writes_nothing(db, settings, root, content) -> None:
    settings.WORKFORCE_AUTH = "open"
    write_tree(root, content)
    with nothing_written():
        ran = run("load_workforce", root, "--check")
    assert ran.code == (1 if content else 0)
    assert content or "2 records" in ran.out


def test_check__needs_no_database(root) -> None:
    report = load(root, "--check")
    assert (report["opened"], report["hired"], report["refusals"]) == ([], [], [])


def test_check__with_skip_broken_says_that_something_is_broken(root) -> None:
    write_tree(root, {HELP: "broken"})
    assert len(load(root, "--check", "--skip-broken", code=3)["problems"]) == 1


@pytest.mark.parametrize("name", ["nowhere", "tree/teams/support/workers/lead/WORKER.md"])
def test_root__unreadable_is_one_sentence(db, root, name) -> None:
    with nothing_written():
        ran = run("load_workforce", root.parent / name)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("tree-unreadable: ") and len(ran.err.splitlines()) == 1


def test_root__that_is_not_there_is_told_to_programs_too(db, root) -> None:
    ran = run("load_workforce", root / "nope", "--format", "json")
    assert ran.code == 1 and ran.err.startswith("tree-unreadable: ")
    assert list(ran.report) == KEYS
    assert ran.report["refusals"] == [{"id": "", "message": ran.err}]


def test_root__of_the_setting_is_named_with_it(db, root, settings) -> None:
    settings.WORKFORCE_TREE = str(root / "nope")
    assert run("load_workforce").err.startswith("tree-unreadable: WORKFORCE_TREE: there is no folder")


def test_root__a_link_is_refused(db, root) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    assert run("load_workforce", link).code == 1


def test_root__empty_asks_whether_it_is_the_right_folder(organization, user, tmp_path) -> None:
    with nothing_written():
        report = load(write_tree(tmp_path / "empty", {}))
    assert "the folder that holds 'teams'?" in report["warnings"][0]


def test_root__empty_never_retires_everything(organization, user, root, tmp_path) -> None:
    load(root)
    with nothing_written():
        report = load(write_tree(tmp_path / "empty", {}), code=1)
    assert "the folder that holds 'teams'?" in report["refusals"][0]["message"]
    assert report["retired"] == []


def test_root__defaults_to_the_setting(organization, user, root, settings) -> None:
    settings.WORKFORCE_TREE = str(root)
    assert run("load_workforce").code == 0
    assert Session.objects.get().address == "support.help"


def test_root__the_tree_that_ships_loads_clean(organization, user, settings) -> None:
    report = load(Path(settings.WORKFORCE_TREE))
    assert len(report["opened"]) == 4 and len(report["hired"]) == 10
    assert report["problems"] == report["refusals"] == []


def test_whose__open_mode_makes_the_organization_and_the_user(db, settings, root) -> None:
    settings.WORKFORCE_AUTH = "open"
    load(root, "--user", "ann")
    session = Session.objects.get()
    assert (session.organization.slug, session.owner.username) == ("default", "ann")
    assert Membership.objects.filter(user=session.owner, organization=session.organization).exists()


def test_whose__a_refused_load_makes_neither(db, settings, root) -> None:
    settings.WORKFORCE_AUTH = "open"
    organization = Organization.objects.create(slug="default", name="default")
    mallory = User.objects.create(username="mallory")
    Session.objects.create(organization=organization, owner=mallory, address="support.help", kind="agent")
    with nothing_written():
        load(root, "--user", "ann", code=1)


def test_whose__keys_mode_makes_the_default_organization_and_no_user(db, root) -> None:
    with nothing_written():
        ran = run("load_workforce", root)
    assert ran.code == 1 and "no user 'local'" in ran.err and "--user" in ran.err
    User.objects.create(username="ann")
    load(root, "--user", "ann")
    assert Organization.objects.get().slug == "default"


@pytest.mark.parametrize("mode", ["open", "keys"])
def test_whose__an_unknown_organization_is_refused_with_the_mend(db, user, settings, root, mode) -> None:
    settings.WORKFORCE_AUTH = mode
    with nothing_written():
        ran = run("load_workforce", root, "--organization", "acme")
    assert ran.code == 1 and "unknown-organization" in ran.err and "organization create" in ran.err


def test_whose__another_organization(user, root) -> None:
    Organization.objects.create(slug="acme", name="Acme")
    load(root, "--organization", "acme")
    assert Session.objects.get().organization.slug == "acme"
    assert Seat.objects.get().organization.slug == "acme"


def test_progress__is_silent_where_there_is_no_terminal(organization, user, root) -> None:
    path = "teams/support/mailboxes/box-{}/MAILBOX.md"
    write_tree(root, {path.format(number): record() for number in range(320)})
    ran = run("load_workforce", root)
    assert (ran.code, ran.err) == (0, "")
    assert "and 281 more" in ran.out
