"""Where an external seat's actor pulls, and whether it does. See docs/external-seats.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.db.models import Q

from messaging.external.errors import OutsideUnreachable
from messaging.external.settings import ExternalSettings
from messaging.inbox.models import Inbox, Participation
from workforce.models import Actor, Organization, Session
from workforce.refusals import quoted
from workforce.turns.running import check_worker

#: The kind's name.
EXTERNAL = "external"


@dataclass(frozen=True, slots=True)
class Outside:
    """The actor that a seat is inside, and the inbox where it pulls."""

    inbox: Inbox
    actor: Actor


def access_outside(session: Session, *, then: str = "retry this run") -> Outside:
    """Where the agent of the session's seat is told of things. ``then`` is what is to be done once it can be.

    Raises what ``check_worker`` does, and OutsideUnreachable when its actor takes no part in its inbox.
    """
    seat, settings = check_worker(session)
    assert isinstance(settings, ExternalSettings)
    place = (
        Participation.objects.select_related("inbox__organization", "actor")
        .filter(
            inbox__organization_id=session.organization_id,
            inbox__slug=settings.inbox,
            actor__organization_id=session.organization_id,
            actor__passname=settings.passname,
            actor__retired_at=None,
            left_at=None,
        )
        .first()
    )
    if place is None:
        raise OutsideUnreachable(
            f"the agent behind '{seat.seat_id}' cannot be reached: {_missing(settings.passname, settings.inbox)}; "
            f"then {then}"
        )
    return Outside(place.inbox, place.actor)


def access_answering(session: Session) -> Outside:
    """The same for what somebody waits for: an agent that is frozen gives no answer, and is not reached either."""
    outside = access_outside(session, then="ask it again")
    if outside.actor.frozen_at is not None:
        name = session.seat.seat_id if session.seat else ""
        raise OutsideUnreachable(
            f"the agent behind '{name}' gives no answer now: its actor '{outside.actor.passname}' is frozen; "
            f"'manage.py actor unfreeze {outside.actor.passname}' lets it go on"
        )
    return outside


def outside_warnings(
    organization: Organization, seats: Iterable[tuple[str, Mapping[str, object]]]
) -> Iterator[str]:
    """A line for each external seat, given with its settings, whose actor takes no part in its inbox."""
    wanted = {
        seat_id: (str(settings.get("passname", "")).lower(), str(settings.get("inbox", "")))
        for seat_id, settings in seats
    }
    if not wanted:
        return
    names = Q(actor__passname__in={name for name, _ in wanted.values()})
    there = Participation.objects.filter(
        names, inbox__organization=organization, left_at=None, actor__retired_at=None
    )
    found = set(there.values_list("actor__passname", "inbox__slug"))
    for seat_id, place in sorted(wanted.items()):
        if place not in found:
            yield f"{seat_id}: nobody outside hears it: {_missing(*place)}"


def _missing(passname: str, inbox: str) -> str:
    return (
        f"no actor {quoted(passname)} takes part in an inbox {quoted(inbox)}; make them with 'manage.py inbox "
        f"create {inbox}' and 'manage.py actor add {passname} --inbox {inbox} --scope write'"
    )
