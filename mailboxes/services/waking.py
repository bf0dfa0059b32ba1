"""Telling the members of a mailbox about a line. See docs/routing.md, "Waking"."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from mailboxes.selectors.seats import hearing_seats
from mailboxes.state import members_of
from workforce import clock
from workforce.dispatch.handoffs import hand_off
from workforce.ids import new_session_id
from workforce.kinds import Call
from workforce.kinds.posts import PostDelivery
from workforce.models import Request, Seat, Session
from workforce.sql.reading import Statement
from workforce.sql.writing import insert_copies, marks

HEAR = "onMailboxPost"
_CHILDREN = Statement(
    [(Session, "child", ("id", "seat_id", "kind"))],
    "FROM workforce_session child WHERE child.parent_id = %s AND child.seat_id IN ",
)
#: What a seat's conversation below a mailbox is about.
TOPIC = "mailbox"


def tell_members(
    *, call: Call, line: Mapping[str, Any], stood_in: Mapping[str, str | None]
) -> list[dict[str, Any]]:
    """Hand the line to the seat of every member, each in its own conversation for this mailbox.

    ``stood_in`` are the members that the fallback step was called for, with its failures. Returns one entry per
    member: delivered, or not and why. Runs safely twice: a hand-off is one row per line and seat. A line that a
    seat wrote wakes nobody.
    """
    members = members_of(call.session)
    by_seat = bool(line.get("seatAuthored"))
    listening = [] if by_seat else [member for member in members if member not in stood_in]
    seats = hearing_seats(call.session, listening) if listening else {}
    wake_seats(call=call, line=line, seats=[seats[member] for member in listening if member in seats])
    unheard = "the line was written by a seat" if by_seat else "no seat of this name that hears posts"
    reasons = {member: stood_in.get(member, unheard) for member in members if member not in seats}
    return [told(member, reasons.get(member)) for member in members]


def told(member: str, reason: str | None = None) -> dict[str, Any]:
    """The entry of one member in a fan-out's output: delivered, unless there is a reason why not."""
    entry = {"member": member, "delivered": reason is None}
    return entry if reason is None else {**entry, "reason": reason}


def wake_seats(*, call: Call, line: Mapping[str, Any], seats: Sequence[Seat]) -> None:
    """Owe each seat its delivery of the line, in its conversation for this mailbox, unless it was owed before."""
    keys = {f"wake:{line['postId']}:{seat.pk}": seat for seat in seats}
    owed = _owed_before(call.request, list(keys))
    fresh = {key: seat for key, seat in keys.items() if key not in owed}
    if not fresh:
        return
    conversations = _conversations(call.session, list(fresh.values()))
    delivery = _delivery(call.session, line, member="")  # judged once: only the member differs
    for key, seat in fresh.items():
        call.owed.append(
            hand_off(
                of=call.request,
                session_id=conversations[seat.pk],
                action=HEAR,
                input={**delivery, "member": seat.seat_id},
                key=key,
            )
        )


def _delivery(session: Session, line: Mapping[str, Any], *, member: str) -> dict[str, Any]:
    delivery = PostDelivery.model_validate({**line, "mailboxId": session.address, "member": member})
    return delivery.model_dump(mode="json", exclude_none=True)


def _owed_before(request: Request, keys: list[str]) -> set[str | None]:
    """Those of the keys that have a row: only a run before this one can have written it."""
    if request.attempts <= 1 and request.retry_of_uid is None:
        return set()
    return set(Request.objects.filter(dispatch_key__in=keys).values_list("dispatch_key", flat=True))


def _conversations(session: Session, seats: Sequence[Seat]) -> dict[int, int]:
    """The child session of each seat for this mailbox, by keys, made when it is missing.

    It is known by its parent, never by its address: an address that could be told before might be taken. A seat
    that is of another kind by now gets a second one, for a session's kind is fixed. The mailbox is locked, so
    nobody else makes one at this moment.
    """
    topics = {TOPIC, *(_topic_of(seat.kind) for seat in seats)}
    known, elsewhere = _by_seat(session, topics, seats)
    missing = [seat for seat in seats if seat.pk not in known]
    if not missing:
        return known
    moment = clock.now()
    insert_copies(
        prototype=Session(
            organization_id=session.organization_id,
            owner_id=session.owner_id,
            parent=session,
            created_at=moment,
            updated_at=moment,
        ),
        columns=("address", "kind", "seat_id", "topic", "title"),
        rows=(
            (
                new_session_id(),
                seat.kind,
                seat.pk,
                _topic_of(seat.kind) if seat.pk in elsewhere else TOPIC,
                f"{seat.seat_id} in {session.address}"[:200],
            )
            for seat in missing
        ),
    )
    return _by_seat(session, topics, seats)[0]


def _topic_of(kind: str) -> str:
    """What the conversation of a seat is about that had one of another kind before."""
    return f"{TOPIC}:{kind}"


def _by_seat(
    parent: Session, topics: Collection[str], seats: Sequence[Seat]
) -> tuple[dict[int, int], set[int]]:
    """The conversation of each seat that is of the seat's kind, and the seats that have one of another kind."""
    kinds = {seat.pk: seat.kind for seat in seats}
    more = f"({marks(kinds)}) AND child.topic IN ({marks(topics)})"
    children = [child for (child,) in _CHILDREN.read([parent.pk, *kinds, *topics], more=more)]
    fitting = {child.seat_id: child.pk for child in children if child.kind == kinds[child.seat_id]}
    return fitting, {child.seat_id for child in children if child.seat_id not in fitting}
