"""Handing a line or a filing to a mailbox from another session: owed, and written there. See docs/routing.md."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from mailboxes.errors import SessionNotAddressable
from mailboxes.state import is_mailbox_state
from workforce.dispatch.handoffs import hand_off
from workforce.errors import ExternalDispatcher, SessionNotFound
from workforce.kinds import Call, registered_kinds
from workforce.models import Request, Session


def access_mailbox(*, sender: Session, address: str, entry: str) -> Session:
    """The open mailbox at this id that the owner of the sending session can reach and that has this entry.

    Raises SessionNotFound for an id that nobody opened (no session is made) and for another user's,
    SessionNotAddressable for a session of another kind, ExternalDispatcher when this process starts no work.
    """
    session = Session.objects.filter(
        organization=sender.organization_id, owner=sender.owner_id, address=address
    ).first()
    kind = registered_kinds().get(session.kind) if session is not None else None
    if session is not None and (kind is None or entry not in kind.actions):
        raise SessionNotAddressable(
            f"the session '{address}' is no mailbox; it is of the kind '{session.kind}'"
        )
    if session is None or not is_mailbox_state(session.state):
        raise SessionNotFound(f"no mailbox was opened at '{address[:100]}'; check the id")
    check_dispatching()
    return session


def check_dispatching() -> None:
    """Raise ExternalDispatcher when this process starts no work."""
    if settings.DISPATCH != "enabled":
        raise ExternalDispatcher


def hand_in(*, call: Call, mailbox: Session, entry: str, input: dict[str, Any], key: str) -> None:
    """Owe the mailbox a run of this entry, in the transaction of the call; once, however often it is called.

    ``key`` names the effect: the same when the run that owes it is repeated. Raises ExternalDispatcher.
    """
    check_dispatching()
    if Request.objects.filter(dispatch_key=key).exists():
        return
    call.owed.append(
        hand_off(
            of=call.request,
            session_id=mailbox.pk,
            action=entry,
            input=input,
            key=key,
            serial=registered_kinds()[mailbox.kind].actions[entry].serial,
        )
    )
