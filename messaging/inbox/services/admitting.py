"""Adding an actor that takes part in an inbox from the start. See docs/inbox.md, "Setting up"."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from messaging.inbox.models import Inbox, InboxEvent
from messaging.inbox.services.opening import join_inbox
from messaging.inbox.services.recording import record_about
from workforce.callers import Caller
from workforce.errors import InvalidInput
from workforce.models import Actor, Grant, Key, Organization, User
from workforce.refusals import quoted
from workforce.services.actors import add_actor
from workforce.services.organizations import ensure_user

#: What a key may do in inboxes: to read holds moving one's own receipts, to write holds reading.
SCOPES: dict[str, tuple[Grant, ...]] = {
    "read": (Grant.INBOX_READ,),
    "write": (Grant.INBOX_READ, Grant.INBOX_WRITE),
}


def admit_actor(
    *,
    organization: Organization,
    passname: str,
    user: User,
    grants: Iterable[str],
    inbox: Inbox | None,
    scope: str = "read",
    kind: str = Actor.Kind.AGENT,
    display_name: str = "",
    expires_days: int | None = None,
    operator: str = "",
) -> tuple[Actor, Key, str]:
    """Add an actor with its first key, as ``add_actor`` does; with an inbox it joins that, and may use it.

    Raises as ``add_actor`` and ``join_inbox``; then nothing is written.
    """
    if inbox is not None:
        grants = [*grants, *SCOPES[scope]]
    with transaction.atomic():
        actor, key, text = add_actor(
            organization=organization,
            passname=passname,
            user=user,
            grants=grants,
            kind=kind,
            display_name=display_name,
            expires_days=expires_days,
        )
        if inbox is not None:
            join_inbox(inbox=inbox, passname=actor.passname, operator=operator)
            record_about(
                inbox=inbox,
                kind=InboxEvent.Kind.KEY_ISSUED,
                actor=actor,
                key_prefix=key.prefix,
                operator=operator,
            )
    return actor, key, text


def user_for(*, caller: Caller, username: str | None) -> User:
    """Whose actor an owner adds: its own without a name, else a member's; a superuser adds them for anybody.

    Raises InvalidInput for anybody else, who may have an account elsewhere or none at all.
    """
    if username is None or username == caller.user.username:
        return caller.user
    if caller.user.is_superuser:
        return ensure_user(username=username)
    found = User.objects.filter(username=username, memberships__organization=caller.organization).first()
    if found is None:
        raise InvalidInput.at(
            "user", f"{quoted(username)} is no member of '{caller.organization.slug}'; name a member"
        )
    return found


def scope_of(grants: Iterable[str]) -> str | None:
    """What a key with these grants may do in inboxes: ``write``, ``read`` or nothing."""
    held = set(grants)
    if Grant.INBOX_WRITE in held:
        return "write"
    return "read" if Grant.INBOX_READ in held else None
