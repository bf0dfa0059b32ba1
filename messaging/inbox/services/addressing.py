"""To whom a message goes. See docs/inbox.md, "Recipients"."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from messaging.inbox.errors import NoRecipients, RecipientRetired, unknown_recipient
from messaging.inbox.hands import Hand
from messaging.inbox.models import Inbox, Participation
from workforce.models import Actor
from workforce.refusals import listed
from workforce.services.keys import SYSTEM_PASSNAME
from workforce.sql.reading import Statement
from workforce.sql.writing import Write, batches, marks

_PLACES = Statement(
    [
        (Participation, "place", ("id", "inbox_id", "actor_id", "left_at", "last_pulled_at")),
        (Actor, "actor", ("id", "passname", "frozen_at", "retired_at")),
    ],
    "FROM messaging_participation place JOIN workforce_actor actor ON actor.id = place.actor_id "
    "WHERE place.inbox_id = %s",
)
_COUNT_IN = "UPDATE messaging_participation SET pending = pending + 1, newest_seq = %s WHERE id IN "
#: No database takes much more in one list.
_AT_ONCE = 1000
#: So many names are asked for by name; for more, everybody is read.
_NAMED = 500


def normalised(to: list[str] | None) -> list[str] | None:
    """The names once each, in lower case and in order; None stays None: everybody else."""
    return None if to is None else sorted({name.lower() for name in to})


def access_recipients(*, hand: Hand, to: list[str] | None, to_service: bool = False) -> list[Participation]:
    """The participations, with their actors, of those whom a message to ``to`` (normalised) reaches.

    The sender is never among them. ``to_service`` says that the message answers the reserved sender, which has no
    receipt: then it may be named, and there may be nobody else. Call it while the inbox is locked. Raises
    UnknownPassname, RecipientRetired, NoRecipients, in this order.
    """
    if to_service and to is not None:
        to = [name for name in to if name != SYSTEM_PASSNAME]
    found = _everybody(hand.inbox) if to is None else _named(hand.inbox, to)
    recipients = [place for place in found if place.actor_id != hand.actor.pk]
    if not recipients and not to_service:
        raise NoRecipients(
            "nobody else takes part in this inbox, so nobody would receive this"
            if to is None
            else "nobody but you would receive this; name somebody else"
            if to
            else "'to' is empty, so nobody would receive this; name somebody, or leave 'to' out for everybody else"
        )
    return recipients


def counted_in(recipients: list[Participation], *, seq: int) -> list[Write]:
    """The statements that count a new message into the recipients' queues."""
    return [
        (f"{_COUNT_IN}({marks(some)})", [seq, *(place.pk for place in some)])
        for some in batches(recipients, _AT_ONCE)
    ]


def active(inbox: Inbox) -> QuerySet[Participation]:
    """The participants who have neither left nor been retired; a frozen one is active."""
    return Participation.objects.filter(inbox=inbox, left_at=None, actor__retired_at=None)


def _everybody(inbox: Inbox) -> list[Participation]:
    return _read([inbox.pk], " AND place.left_at IS NULL AND actor.retired_at IS NULL")


def _named(inbox: Inbox, names: list[str]) -> list[Participation]:
    storable = [name for name in names if name.isascii() and "\x00" not in name]
    asked, params = "", list[Any]([inbox.pk])
    if 0 < len(storable) <= _NAMED:
        asked, params = f" AND actor.passname IN ({marks(storable)})", [inbox.pk, *storable]
    found = {place.actor.passname: place for place in _read(params, asked)}
    for name in names:
        place = found.get(name)
        if place is None or (place.left_at is not None and place.actor.retired_at is None):
            known = list(active(inbox).values_list("actor__passname", flat=True))
            raise unknown_recipient(name, known, has_left=place is not None)
    chosen = [found[name] for name in names]
    retired = [place.actor.passname for place in chosen if place.actor.retired_at is not None]
    if retired:
        raise RecipientRetired(
            f"{listed(retired)} {'is' if len(retired) == 1 else 'are'} retired and would never read this; leave "
            "the name out. Nothing was sent"
        )
    return chosen


def _read(params: list[Any], asked: str) -> list[Participation]:
    """The participations of an inbox that are asked for, with their actors, by passname."""
    found = []
    for place, actor in _PLACES.read(params, more=f"{asked} ORDER BY actor.passname"):
        place.actor = actor
        found.append(place)
    return found
