"""What happens to a conversation while a line is handed to it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from mailboxes.services import waking
from tests.conftest import Mailbox, Player
from tests.racing import ON_POSTGRESQL
from workforce.dispatch.run import try_run
from workforce.models import Request, Seat, Session
from workforce.services.sessions import delete_session

pytestmark = ON_POSTGRESQL


def test_tell__a_conversation_that_is_deleted_meanwhile(
    owner: Player, mailbox: Mailbox, seat: Callable[..., Seat], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fan-out that found it hands the line over first; else it would break, and nobody would be told."""
    mailbox(members=["support.lead", "support.other"])
    seat("support.lead")
    seat("support.other")
    owner.api.line("support.help")
    assert try_run(Request.objects.get(action="onPosted").uid)
    child = Session.objects.get(seat__seat_id="support.lead")

    def delete() -> None:
        try:
            delete_session(caller=owner.caller, address=child.address)
        finally:
            connection.close()

    deleting = threading.Thread(target=delete)
    find = waking._conversations

    def find_and_lose(*of: Any) -> dict[int, int]:
        found = find(*of)
        deleting.start()
        deleting.join(0.5)
        return found

    monkeypatch.setattr(waking, "_conversations", find_and_lose)
    owner.api.line("support.help", body="second")
    fan_out = Request.objects.filter(action="onPosted").latest("id")
    assert try_run(fan_out.uid)
    deleting.join(20)
    fan_out.refresh_from_db()
    assert (fan_out.status, fan_out.error) == ("completed", None)
    assert not Session.objects.filter(pk=child.pk).exists()
