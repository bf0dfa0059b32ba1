"""Making, changing and removing sessions, below the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from mailboxes.errors import MailboxStaysOpen
from tests.conftest import Mailbox, Player
from tests.racing import ON_POSTGRESQL, at_once
from workforce.errors import NoSuchFlow, SessionNotFound, SessionTaken, WrongKind
from workforce.kinds import get_kind
from workforce.models import Session
from workforce.services.sessions import (
    create_session,
    delete_session,
    lock_own_session,
    open_for_action,
    save_if_new,
    update_session,
)


def test_create__empty_and_the_callers(owner: Player) -> None:
    session = create_session(caller=owner.caller, kind_name="mailbox", address="my.id", tags=["a"])
    session.refresh_from_db()
    assert (session.owner, session.organization, session.kind) == (owner.user, owner.organization, "mailbox")
    assert (session.state, session.item_seq, session.tags, session.metadata) == ({}, 0, ["a"], {})


def test_create__minted_ids_differ(owner: Player) -> None:
    made = [create_session(caller=owner.caller, kind_name="mailbox").address for _ in range(3)]
    assert len(set(made)) == 3


def test_create__refusals(owner: Player, stranger: Player, mailbox: Mailbox, nothing_written: Any) -> None:
    mailbox("my.id")
    with nothing_written():
        for player in (owner, stranger):
            with pytest.raises(SessionTaken, match="my.id"):
                create_session(caller=player.caller, kind_name="mailbox", address="my.id")
        with pytest.raises(NoSuchFlow, match="mailbox"):
            create_session(caller=owner.caller, kind_name="mailbux")


def test_create__the_id_is_free_in_another_organization(
    owner: Player, outsider: Player, mailbox: Mailbox
) -> None:
    mailbox("my.id")
    assert create_session(caller=outsider.caller, kind_name="mailbox", address="my.id").pk


def test_update__only_what_is_given(owner: Player, mailbox: Mailbox) -> None:
    session = mailbox("my.id", title="T", description="D", metadata={"a": 1, "b": {"c": 2}})
    update_session(caller=owner.caller, address="my.id", changes={"metadata": {"b": {"d": 3}, "e": None}})
    session.refresh_from_db()
    assert session.metadata == {"a": 1, "b": {"d": 3}, "e": None}
    assert (session.title, session.description) == ("T", "D")
    update_session(caller=owner.caller, address="my.id", changes={"title": ""})
    update_session(caller=owner.caller, address="my.id", changes={})
    session.refresh_from_db()
    assert (session.title, session.description) == ("", "D")


def test_delete__with_everything_in_it(owner: Player) -> None:
    owner.api.act("nobody.opened", "post", {"body": "x"})
    delete_session(caller=owner.caller, address="nobody.opened")
    assert not Session.objects.exists()


def test_delete__an_open_mailbox_stays(owner: Player, mailbox: Mailbox, nothing_written: Any) -> None:
    mailbox("my.id")
    with nothing_written(), pytest.raises(MailboxStaysOpen, match="my.id"):
        delete_session(caller=owner.caller, address="my.id")


def test_own__anothers_is_answered_like_none(
    owner: Player, stranger: Player, outsider: Player, mailbox: Mailbox, nothing_written: Any
) -> None:
    mailbox("my.id")
    for player in (stranger, outsider):
        for address in ("my.id", "no.id"):
            with nothing_written():
                words = f"there is no session '{address}'"
                with pytest.raises(SessionNotFound, match=words):
                    update_session(caller=player.caller, address=address, changes={"title": "x"})
                with pytest.raises(SessionNotFound, match=words):
                    delete_session(caller=player.caller, address=address)
                with pytest.raises(SessionNotFound, match=words), transaction.atomic():
                    lock_own_session(caller=player.caller, address=address)


def test_open__by_kind_and_owner(owner: Player, stranger: Player, mailbox: Mailbox) -> None:
    kind = get_kind("mailbox")
    box = mailbox("my.id")
    mailbox("news.id", kind="announcements")

    def opened(player: Player, address: str | None) -> Session:
        return open_for_action(caller=player.caller, kind=kind, address=address, lock=True)

    with transaction.atomic():
        assert opened(owner, "my.id") == box
        assert opened(owner, "new.id").pk is None
        assert opened(owner, None).address
        with pytest.raises(WrongKind, match="announcements"):
            opened(owner, "news.id")
        with pytest.raises(SessionNotFound):
            opened(stranger, "news.id")  # not even its kind is told
    assert Session.objects.count() == 2


def test_save_if_new__another_call_was_faster(owner: Player, stranger: Player, mailbox: Mailbox) -> None:
    kind = get_kind("mailbox")
    with transaction.atomic():
        mine = open_for_action(caller=owner.caller, kind=kind, address="my.id", lock=True)
        theirs = open_for_action(caller=stranger.caller, kind=kind, address="my.id", lock=True)
        made = mailbox("my.id")
        assert save_if_new(session=mine, caller=owner.caller, kind=kind) == made
        with pytest.raises(SessionNotFound):
            save_if_new(session=theirs, caller=stranger.caller, kind=kind)
    assert Session.objects.get() == made


class TestAtOnce:
    pytestmark = ON_POSTGRESQL

    def test_create__one_of_many_gets_the_id(self, owner: Player) -> None:
        calls = [lambda: create_session(caller=owner.caller, kind_name="mailbox", address="my.id")] * 8
        results = at_once(*calls)
        assert sorted(type(result).__name__ for result in results) == ["Session"] + ["SessionTaken"] * 7

    def test_update__no_change_is_lost(self, owner: Player, mailbox: Mailbox) -> None:
        session = mailbox("my.id")

        def change(number: int) -> Any:
            changes = {"metadata": {f"k{number}": number}}
            return lambda: update_session(caller=owner.caller, address="my.id", changes=changes)

        at_once(*[change(number) for number in range(8)])
        session.refresh_from_db()
        assert session.metadata == {f"k{number}": number for number in range(8)}
