"""``manage.py find_pre_rename``: old data with the reason; only reads."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.factories import make_organization
from tests.mailboxes.loads import nothing_written, run
from workforce.models import InventoryMailbox, Item, Organization, Request, Session, User


def make_session(organization: Organization, owner: User, address: str, kind: str = "mailbox") -> Session:
    return Session.objects.create(organization=organization, owner=owner, address=address, kind=kind)


def write_item(session: Session, seq: int, component: str = "") -> None:
    request = Request.objects.create(session=session, action="post", source=Request.Source.HTTP)
    if component:
        Item.objects.create(session=session, seq=seq, request=request, type="component", component=component)


def find(*options: str, code: int) -> dict[str, Any]:
    with nothing_written():
        ran = run("find_pre_rename", "--format", "json", *options)
    assert (ran.code, ran.err) == (code, "")
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_find__nothing_in_a_clean_store(organization, user) -> None:
    write_item(make_session(organization, user, "eng.help"), 1, "mailbox-post")
    make_session(organization, user, "eng.news", "announcements")
    InventoryMailbox.objects.create(organization=organization, mailbox_id="eng.help", kind="mailbox")
    assert find(code=0) == {"sessions": [], "organizations": []}
    assert run("find_pre_rename").out.strip() == "No data from before the rename."


def test_find__sessions_of_the_old_kind(organization, user) -> None:
    make_session(organization, user, "eng.old", "channel")
    [mark] = find(code=1)["sessions"]
    assert (mark["id"], mark["organization"]) == ("eng.old", "default") and "'channel'" in mark["reason"]


@pytest.mark.parametrize("component", ["channel-post", "channel-route"])
def test_find__old_items_in_the_recent_transcript(organization, user, component) -> None:
    session = make_session(organization, user, "eng.help")
    write_item(session, 1, component)
    for seq in range(2, 51):
        write_item(session, seq)
    [mark] = find(code=1)["sessions"]
    assert mark["id"] == "eng.help" and f"'{component}'" in mark["reason"]
    write_item(session, 51)
    assert find(code=0)["sessions"] == []


@pytest.mark.parametrize(
    "row", [{"mailbox_id": "channels/eng.help", "kind": "mailbox"}, {"mailbox_id": "a.b", "kind": "channel"}]
)
def test_find__organizations_with_an_old_inventory(organization, user, row) -> None:
    InventoryMailbox.objects.create(organization=organization, **row)
    [mark] = find(code=1)["organizations"]
    assert mark["id"] == "default" and "channels/" in mark["reason"]


def test_find__in_one_organization_or_in_all(organization, user) -> None:
    other = make_organization("acme")
    make_session(other, user, "eng.old", "channel")
    assert len(find(code=1)["sessions"]) == 1
    assert len(find("--organization", "acme", code=1)["sessions"]) == 1
    assert find("--organization", "default", code=0)["sessions"] == []


def test_find__text_names_each_with_the_reason(organization, user) -> None:
    make_session(organization, user, "eng.old", "channel")
    InventoryMailbox.objects.create(organization=organization, mailbox_id="channels/a", kind="channel")
    lines = run("find_pre_rename").out.splitlines()
    assert lines[0].startswith("session eng.old in default: ") and lines[1].startswith(
        "organization default: "
    )


def test_find__an_unknown_organization_is_refused(db) -> None:
    ran = run("find_pre_rename", "--organization", "nowhere")
    assert ran.code == 1 and "unknown-organization" in ran.err
