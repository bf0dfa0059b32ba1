"""``manage.py session``: the operator's way out when a session holds an id that a load needs."""

from __future__ import annotations

import pytest

from tests.conftest import Mailbox, Player
from tests.workforce.api.test_items import fill
from tests.workforce.commands.running import refused, run
from tests.workforce.dispatch.queues import make_request
from workforce.models import Item, Request, Session

pytestmark = pytest.mark.django_db


def test_session_remove__of_anybody_with_everything_in_it(
    owner: Player, stranger: Player, mailbox: Mailbox
) -> None:
    held = mailbox("support.help", player=stranger, kind="agent")
    fill(held, 2)
    make_request(held)
    mailbox("support.other")
    ran = run("session", "remove", "support.help", "--organization", "acme", "--format", "json")
    assert ran.json == {"id": "support.help", "flowKind": "agent", "userId": "bob", "items": 2}
    assert Session.objects.get().address == "support.other"
    assert not Request.objects.exists() and not Item.objects.exists()


def test_session_remove__of_a_kind_that_is_gone(mailbox: Mailbox) -> None:
    mailbox("support.help", kind="gone")
    printed = run("session", "remove", "support.help", "--organization", "acme").stdout
    assert printed == "removed support.help: a session of ada's, gone, items: 0\n"
    assert not Session.objects.exists()


def test_session_remove__refused(owner: Player, outsider: Player, mailbox: Mailbox) -> None:
    mailbox("support.help")
    mailbox("support.theirs", player=outsider, kind="agent")
    with refused("mailbox-is-open", "support.help"):
        run("session", "remove", "support.help", "--organization", "acme")
    with refused("session-not-found", "support.theirs"):
        run("session", "remove", "support.theirs", "--organization", "acme")
    assert Session.objects.count() == 2
