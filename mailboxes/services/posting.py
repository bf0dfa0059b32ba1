"""Posting: the one way a line gets into a mailbox. See docs/mailboxes.md."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from mailboxes.errors import AuthorNotAMember
from mailboxes.selectors.declarations import check_open
from mailboxes.state import members_of
from workforce.dispatch.handoffs import hand_off
from workforce.kinds import Call
from workforce.models import Item, Request
from workforce.services.items import keep_line

#: The internal entry that tells the members about a line.
FAN_OUT = "onPosted"


def post_line(*, call: Call, body: str, author: str | None = None, seat_authored: bool = False) -> Item:
    """Write one line to the mailbox and owe its fan-out, in the transaction of the call.

    The session's row is locked by the call, so simultaneous posts get consecutive numbers. Raises
    MailboxIsATemplate, MailboxNotBound, AuthorNotAMember, in this order; a refusal writes nothing.
    """
    session = call.session
    members = check_post(call=call, author=author)
    principal = call.caller.user.username if call.caller else session.owner.username
    item = keep_line(
        session=session,
        request=call.request,
        body=body,
        principal=principal,
        author=author,
        seat_authored=seat_authored,
    )
    if members and settings.DISPATCH == "enabled":
        call.owed.append(_fan_out_of(call, item))
    return item


def check_post(*, call: Call, author: str | None) -> list[str]:
    """Raise MailboxIsATemplate, MailboxNotBound or AuthorNotAMember, in this order; return the members."""
    check_open(call.session)
    members = members_of(call.session)
    if author is not None and author not in members:
        raise AuthorNotAMember.of(author, call.session.address, members)
    return members


def _fan_out_of(call: Call, line: Item) -> Request:
    """The request that tells each member, written with the line that caused it."""
    delivery: dict[str, Any] = {"postId": str(line.id), "body": line.body, "principal": line.principal}
    if line.author:
        delivery["author"] = line.author
    if line.seat_authored:
        delivery["seatAuthored"] = True
    return hand_off(
        of=call.request,
        session_id=call.session.pk,
        action=FAN_OUT,
        input=delivery,
        key=f"{FAN_OUT}:{line.id}",
        counted=Request.Counted.FAN_OUT,
    )
