"""Mailbox kinds of a deployment's own."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from mailboxes.kind import BaseMailboxKind, MailboxKind
from mailboxes.registering import register_mailbox_kinds
from tests.clients import problem
from tests.conftest import Mailbox, Player
from tests.kinds import Announcements
from workforce.kinds import Action, Kind, get_kind, registry
from workforce.models import Item, Session


class OwnMailbox(MailboxKind):
    """The built-in, replaced."""


class FakeMailbox(BaseMailboxKind):
    name = "mailbox"

    def declare_actions(self) -> list[Action]:
        return []


class Nameless(BaseMailboxKind):
    def declare_actions(self) -> list[Action]:
        return []


class BadName(Nameless):
    name = "Bad Name"


class TakenName(Nameless):
    name = "agent"


class NoMailbox(Kind):
    name = "no-mailbox"

    def declare_actions(self) -> list[Action]:
        return []


@pytest.fixture
def kinds(monkeypatch: pytest.MonkeyPatch) -> dict[str, Kind]:
    """A registry of its own, with what the process registered."""
    own = dict(registry._KINDS)
    monkeypatch.setattr(registry, "_KINDS", own)
    return own


@pytest.mark.parametrize(
    ("name", "path", "words"),
    [
        ("channel", "tests.kinds.Announcements", "'channel' is the old name"),
        ("announcements", "tests.kinds.Missing", "cannot be imported"),
        ("announcements", "no.such.module.Kind", "cannot be imported"),
        ("announcements", "Announcements", "cannot be imported"),
        ("announcements", "tests.kinds.announce", "does not subclass"),
        ("no-mailbox", f"{__name__}.NoMailbox", "does not subclass"),
        ("news", "tests.kinds.Announcements", "'news' is not the kind's own name 'announcements'"),
        ("nameless", f"{__name__}.Nameless", "'nameless' is not the kind's own name None"),
        ("mailbox", f"{__name__}.FakeMailbox", "must subclass mailboxes.kind.MailboxKind"),
        ("Bad Name", f"{__name__}.BadName", "lower-case letters"),
        ("agent", f"{__name__}.TakenName", "two kinds are named 'agent'"),
    ],
)
def test_register__nonsense_stops_the_start(
    settings: Any, kinds: dict[str, Kind], name: str, path: str, words: str
) -> None:
    before = dict(kinds)
    settings.MAILBOX_KINDS = {name: path}
    with pytest.raises(ImproperlyConfigured) as caught:
        register_mailbox_kinds()
    assert words in str(caught.value)
    assert {known: kinds.get(known) for known in before if known != "mailbox"} == {
        known: kind for known, kind in before.items() if known != "mailbox"
    }


def test_register__the_built_in_may_be_replaced_by_a_subclass(settings: Any, kinds: dict[str, Kind]) -> None:
    del kinds["mailbox"]
    settings.MAILBOX_KINDS = {"mailbox": f"{__name__}.OwnMailbox"}
    register_mailbox_kinds()
    assert type(kinds["mailbox"]) is OwnMailbox


def test_register__one_kind_is_one_instance(owner: Player, mailbox: Mailbox) -> None:
    assert type(get_kind("announcements")) is Announcements
    assert get_kind("announcements") is get_kind("announcements")
    listed = {kind["kind"]: kind for kind in owner.api.get("/api/flows").json()["items"]}
    assert {"announcements", "mailbox", "agent"} <= set(listed)
    actions = {action["name"]: action for action in listed["announcements"]["actions"]}
    assert set(actions) == {"announce", "boom", "defect", "later", "laterBoom", "laterDefect"}
    assert actions["later"]["mode"] == "background"
    assert actions["announce"]["inputSchema"]["required"] == ["text"]
    assert actions["announce"]["inputSchema"]["additionalProperties"] is False
    assert {action["name"] for action in listed["mailbox"]["actions"]} >= {"post", "read"}


def test_list_flows__internal_entries_appear_nowhere(owner: Player) -> None:
    text = owner.api.get("/api/flows").content.decode()
    for name in ("onPosted", "onMailboxPost", "hidden"):
        assert name not in text


def test_announce__lines_show_like_the_built_ins(owner: Player, mailbox: Mailbox) -> None:
    mailbox("team.news", kind="announcements", members=["support.lead"])
    answer = owner.api.act("team.news", "announce", {"text": "Closed on Monday."}, kind="announcements")
    line = answer.json()["output"]
    assert list(line) == ["id", "seq", "at", "principal", "authorVerified", "body", "passname"]
    assert (line["seq"], line["principal"], line["body"]) == (1, "announcer", "Closed on Monday.")
    (item,) = owner.api.get("/api/sessions/team.news/items?component=mailbox-post").json()["items"]
    assert (item["type"], item["component"], item["data"]) == ("component", "mailbox-post", line)


def test_announce__its_own_actions_only(owner: Player, mailbox: Mailbox, nothing_written: Any) -> None:
    mailbox("team.news", kind="announcements")
    with nothing_written():
        answer = owner.api.act("team.news", "post", {"body": "x"}, kind="announcements")
        problem(answer, 404, "no-such-action", "'post'", "'announcements'")
    with nothing_written():
        problem(owner.api.act("team.news", "post", {"body": "x"}), 409, "wrong-kind")


def test_announce__its_own_refusal_is_a_problem_and_a_failed_request(owner: Player) -> None:
    answer = owner.api.act("never.opened", "announce", {"text": "x"}, kind="announcements")
    body = problem(answer, 409, "announcements-not-open", "never opened")
    failed = owner.api.get(f"/api/requests/{body['request']['id']}").json()
    assert failed["error"] == {"code": "announcements-not-open", "message": body["detail"]}
    assert Item.objects.count() == 0


def test_delete__an_open_mailbox_of_any_kind_stays(
    owner: Player, mailbox: Mailbox, nothing_written: Any
) -> None:
    mailbox("team.news", kind="announcements")
    mailbox("support.help")
    for address in ("team.news", "support.help"):
        with nothing_written():
            answer = owner.api.call("DELETE", f"/api/sessions/{address}")
        problem(answer, 409, "mailbox-is-open", address)
    assert Session.objects.count() == 2


def test_show__members_and_charter_never_leave_by_the_session(owner: Player, mailbox: Mailbox) -> None:
    mailbox("team.news", kind="announcements", members=["support.lead"], charter="Secret words.")
    mailbox("support.help", members=["support.lead"], charter="Secret words.")
    for address in ("team.news", "support.help"):
        shown = owner.api.get(f"/api/sessions/{address}")
        assert shown.json()["state"] == {}
        assert b"Secret" not in shown.content
        assert b"support.lead" not in shown.content
