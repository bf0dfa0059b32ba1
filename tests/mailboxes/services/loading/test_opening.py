"""Opening: each mailbox of the tree is a session at its id; only an empty one is ever replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mailboxes.models import Declaration
from tests.factories import make_user
from tests.mailboxes.loads import load, nothing_written
from tests.trees import record, write_tree
from workforce.models import InventoryMailbox, InventoryMembership, Item, Organization, Request, Session, User

HELP = "teams/support/mailboxes/help/MAILBOX.md"
NEWS = "teams/support/mailboxes/news/MAILBOX.md"
LEAD = "teams/support/workers/lead/WORKER.md"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        HELP: record("members: [support.lead, alice]", "One at a time.\n"),
        NEWS: record("flow: announcements\ninstructions: Be brief."),
        LEAD: record(),
    }
    return write_tree(tmp_path, files)


def occupy(organization: Organization, owner: User, **fields: Any) -> Session:
    return Session.objects.create(
        organization=organization, owner=owner, **{"address": "support.help", "kind": "mailbox", **fields}
    )


def with_failed_post(session: Session) -> Request:
    return Request.objects.create(
        session=session, action="post", source=Request.Source.HTTP, status=Request.Status.FAILED
    )


def test_open__a_session_at_the_id_with_members_and_charter(organization, user, root) -> None:
    report = load(root)
    assert report["opened"] == ["support.help", "support.news"]
    session = Session.objects.get(address="support.help")
    assert (session.kind, session.owner, session.organization) == ("mailbox", user, organization)
    assert session.description == "What it is for."
    assert session.state == {"members": ["support.lead", "alice"], "charter": "One at a time.\n"}


def test_open__a_custom_kind_with_the_same_state(organization, user, root) -> None:
    load(root)
    session = Session.objects.get(address="support.news")
    assert session.kind == "announcements"
    assert session.state == {"members": [], "charter": "Be brief."}


def test_open__registers_the_inventory(organization, user, root) -> None:
    load(root)
    row = InventoryMailbox.objects.get(mailbox_id="support.help")
    assert (row.kind, row.members) == ("mailbox", ["support.lead", "alice"])
    found = InventoryMembership.objects.filter(mailbox_id="support.help").values_list("seat_id", flat=True)
    assert sorted(found) == ["alice", "support.lead"]


def test_open__again_leaves_an_open_mailbox_alone(organization, user, root) -> None:
    load(root)
    with nothing_written():
        report = load(root)
    assert report["opened"] == [] and report["unchanged"] == ["support.help", "support.news"]


def test_open__registers_from_the_session_what_the_inventory_lost(organization, user, root) -> None:
    load(root)
    InventoryMailbox.objects.all().delete()
    write_tree(root, {HELP: record("members: [support.lead]")})
    load(root)
    assert InventoryMailbox.objects.get(mailbox_id="support.help").members == ["support.lead", "alice"]


@pytest.mark.parametrize("kind", ["mailbox", "announcements"])
@pytest.mark.parametrize("owner", ["local", "mallory"])
def test_take_over__an_empty_session_whoever_made_it(organization, user, root, owner, kind) -> None:
    squatter = make_user(owner)
    session = occupy(organization, squatter, kind=kind, title="Mine!", tags=["mine"], metadata={"a": 1})
    failed = with_failed_post(session)
    assert load(root)["opened"] == ["support.help", "support.news"]
    bound = Session.objects.get(address="support.help")
    assert bound.pk == session.pk
    assert (bound.owner, bound.kind, bound.description) == (user, "mailbox", "What it is for.")
    assert (bound.title, bound.tags, bound.metadata) == ("", [], {})
    assert bound.state == {"members": ["support.lead", "alice"], "charter": "One at a time.\n"}
    # What another user sent to the id is that user's, and does not go to the mailbox's owner with it.
    assert list(bound.requests.all()) == ([failed] if squatter == user else [])
    assert InventoryMailbox.objects.filter(mailbox_id="support.help").exists()


OPEN = {"members": [], "charter": ""}


@pytest.mark.parametrize(
    ("owner", "fields", "words"),
    [
        ("local", {"kind": "agent"}, ["another kind", "'agent'", "rename", "session remove support.help"]),
        ("local", {"kind": "agent", "state": OPEN}, ["another kind", "'agent'"]),
        ("local", {"kind": "channel"}, ["old data", "empty store", "find_pre_rename"]),
        ("other", {"kind": "channel", "state": OPEN}, ["old data"]),
        ("other", {"state": OPEN}, ["another user", "'other'", "--user"]),
        ("other", {"item_seq": 1}, ["another user", "'other'"]),
        ("local", {"item_seq": 1}, ["not a mailbox's"]),
        (
            "local",
            {"state": {"members": [42], "charter": "x"}},
            ["not a mailbox's", "'members'", "'charter'"],
        ),
        ("local", {"state": {"projectId": "apollo"}}, ["not a mailbox's", "'projectId'"]),
    ],
)
def test_refuse__an_id_taken_by_anything_else(organization, user, root, owner, fields, words) -> None:
    occupy(organization, make_user(owner), **fields)
    with nothing_written():
        report = load(root, code=1)
    assert [refusal["id"] for refusal in report["refusals"]] == ["support.help"]
    for word in words:
        assert word in report["refusals"][0]["message"]
    assert report["opened"] == report["hired"] == report["warnings"] == []


def test_refuse__names_all_taken_ids_together(organization, user, root) -> None:
    occupy(organization, user, kind="agent")
    occupy(organization, make_user("other"), address="support.news", kind="announcements", state=OPEN)
    with nothing_written():
        report = load(root, code=1)
    assert [refusal["id"] for refusal in report["refusals"]] == ["support.help", "support.news"]


def test_refuse__an_empty_session_is_not_taken_over_when_another_id_is_refused(
    organization, user, root
) -> None:
    occupy(organization, make_user("other"))
    occupy(organization, user, address="support.news", kind="agent")
    with nothing_written():
        load(root, code=1)


def test_open__the_same_id_in_another_organization_does_not_matter(organization, user, root) -> None:
    other = Organization.objects.create(slug="other", name="other")
    occupy(other, make_user("stranger"), kind="agent")
    assert "support.help" in load(root)["opened"]


def test_open__a_mailbox_with_lines_and_more_state_is_left_alone(organization, user, root) -> None:
    load(root)
    session = Session.objects.get(address="support.help")
    session.state = {**session.state, "ledger": [1]}
    session.item_seq = session.line_seq = 1
    session.save()
    request = with_failed_post(session)
    Item.objects.create(session=session, seq=1, line_seq=1, request=request, type="component", body="Hello")
    with nothing_written():
        assert load(root)["unchanged"] == ["support.help", "support.news"]


def test_drift__is_named_and_the_mailbox_keeps_what_it_was_opened_with(organization, user, root) -> None:
    load(root)
    before = Session.objects.values().get(address="support.help")
    keys = "flow: announcements\nmembers: [support.lead]"
    write_tree(root, {HELP: record(keys, "Another charter.", description="Else.")})
    report = load(root)
    drift = [line for line in report["warnings"] if "differs from the open mailbox" in line]
    assert len(drift) == 1 and drift[0].startswith("support.help: ")
    assert "members, charter, description, flow" in drift[0]
    assert Session.objects.values().get(address="support.help") == before
    assert "support.help" in report["unchanged"] and "support.help" not in report["changed"]
    assert Declaration.objects.get(mailbox_id="support.help").charter == "Another charter."


def test_drift__is_said_at_every_load_and_names_only_what_differs(organization, user, root) -> None:
    load(root)
    write_tree(root, {HELP: record("members: [support.lead, alice]", "Another charter.")})
    load(root)
    with nothing_written():
        report = load(root)
    [drift] = [line for line in report["warnings"] if "differs" in line]
    assert "in charter;" in drift and "members" not in drift
