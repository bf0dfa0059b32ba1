"""Telling the members of a mailbox about a line. See docs/mailboxes.md."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from mailboxes.state import is_mailbox_state, members_of
from workforce.ids import new_session_id, new_uuid
from workforce.kinds import Call, worker_kinds
from workforce.kinds.posts import PostDelivery
from workforce.models import Request, Seat, Session

HEAR = "onMailboxPost"
#: What a seat's conversation below a mailbox is about.
TOPIC = "mailbox"


def tell_members(*, call: Call, line: dict[str, Any]) -> list[dict[str, Any]]:
    """Hand the line to the seat of every member, each in its own conversation for this mailbox.

    Returns one entry per member: delivered, or not and why. Runs safely twice: a hand-off is one row per
    line and seat. A line that a seat wrote wakes nobody.
    """
    session = call.session
    if not is_mailbox_state(session.state):
        return []
    members = members_of(session)
    if line.get("seatAuthored"):
        return [_not_told(member, "the line was written by a seat") for member in members]
    seats = _hearing_seats(session, members)
    told = [seats[member] for member in members if member in seats]
    conversations = _conversations(session, told)
    _hand_over(call, line, told, conversations)
    return [
        {"member": member, "delivered": True}
        if member in seats
        else _not_told(member, "no seat of this name that hears posts")
        for member in members
    ]


def _not_told(member: str, reason: str) -> dict[str, Any]:
    return {"member": member, "delivered": False, "reason": reason}


def _hearing_seats(session: Session, members: list[str]) -> dict[str, Seat]:
    """The seat of each member that hears posts: the owner's own first, then the organization's."""
    hearing = [name for name, kind in worker_kinds().items() if kind.hears_posts]
    seats = Seat.objects.filter(
        Q(owner=None) | Q(owner_id=session.owner_id),
        organization_id=session.organization_id,
        seat_id__in=members,
        kind__in=hearing,
        retired_at=None,
    )
    found: dict[str, Seat] = {}
    for seat in seats:
        if seat.seat_id not in found or seat.owner_id is not None:
            found[seat.seat_id] = seat
    return found


def _conversations(session: Session, seats: list[Seat]) -> dict[int, Session]:
    """The child session of each seat for this mailbox, made when it is missing.

    It is known by its parent, never by its address: an address that could be told before might be taken.
    """
    children = Session.objects.filter(parent=session, topic=TOPIC, seat__in=seats)
    known = {child.seat_id: child for child in children if child.seat_id is not None}
    fresh = [_conversation(session, seat) for seat in seats if seat.pk not in known]
    if not fresh:
        return known
    Session.objects.bulk_create(fresh, ignore_conflicts=True)
    return {child.seat_id: child for child in children.all() if child.seat_id is not None}


def _conversation(session: Session, seat: Seat) -> Session:
    return Session(
        organization_id=session.organization_id,
        address=new_session_id(),
        owner_id=session.owner_id,
        kind=seat.kind,
        seat=seat,
        parent=session,
        topic=TOPIC,
        title=f"{seat.seat_id} in {session.address}"[:200],
    )


def _hand_over(
    call: Call, line: dict[str, Any], seats: list[Seat], conversations: dict[int, Session]
) -> None:
    keys = {f"wake:{line['postId']}:{seat.pk}": seat for seat in seats}
    already = set(Request.objects.filter(dispatch_key__in=list(keys)).values_list("dispatch_key", flat=True))
    for key, seat in keys.items():
        if key in already:
            continue
        delivery = PostDelivery.model_validate(
            {**line, "mailboxId": call.session.address, "member": seat.seat_id}
        )
        call.owed.append(
            Request(
                uid=new_uuid(),
                session=conversations[seat.pk],
                action=HEAR,
                source=Request.Source.DISPATCH,
                input=delivery.model_dump(mode="json", exclude_none=True),
                serial=True,
                parent_uid=call.request.uid,
                chain_uid=call.request.chain_uid,
                dispatch_key=key,
            )
        )
