"""What is open in an inbox now: how much, how old, and owed by whom. See docs/inbox.md, "Metrics"."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, F, Min, OuterRef, Q, QuerySet, Subquery

from messaging.inbox.models import Inbox, Message, Participation, Receipt
from messaging.inbox.selectors.messages import messages_of

#: So many open requests are looked at, the oldest; with more, the counts of requests are of these.
LOOKED_AT = 10_000


@dataclass(frozen=True, slots=True)
class Owing:
    """What one participant owes, or one that was."""

    place: Participation
    passname: str
    #: ``active``, ``frozen``, ``retired`` or ``left``; the last two owe it for nobody.
    state: str
    pending: int
    delivered: int
    #: When the oldest request that is open for it was sent.
    oldest_request_at: datetime | None
    last_pulled_at: datetime | None


@dataclass(frozen=True, slots=True)
class OpenWork:
    """What is open in an inbox. A request is, until its sender closes it or nobody has it open any more."""

    pending: int
    delivered: int
    requests: int
    #: There are more requests than were looked at, and the counts of them are of these.
    is_capped: bool
    late: int
    oldest: Message | None
    approvals: int
    oldest_approval_at: datetime | None
    owing: list[Owing]


def open_requests(inbox: Inbox) -> QuerySet[Message]:
    """The requests that their senders did not close and that somebody has open."""
    return messages_of(inbox).filter(Message.IS_OPEN_REQUEST)


def open_work(inbox: Inbox, *, now: datetime) -> OpenWork:
    """What is open in the inbox; three queries, whatever its size."""
    owing = owed_in(inbox)
    due = now - timedelta(seconds=settings.INBOX_SERVICE_TARGET)
    approval = Q(approval=True)
    oldest_first = Message.objects.filter(Message.IS_OPEN_REQUEST, inbox=inbox).order_by("created_at")
    found: dict[str, Any] = oldest_first.only("pk", "created_at", "approval")[:LOOKED_AT].aggregate(
        requests=Count("pk"),
        late=Count("pk", filter=Q(created_at__lt=due)),
        approvals=Count("pk", filter=approval),
        oldest_approval_at=Min("created_at", filter=approval),
    )
    return OpenWork(
        pending=sum(owed.pending for owed in owing),
        delivered=sum(owed.delivered for owed in owing),
        is_capped=found["requests"] == LOOKED_AT,
        oldest=open_requests(inbox).order_by("created_at").first(),
        owing=owing,
        **found,
    )


def owed_in(inbox: Inbox) -> list[Owing]:
    """What each of those who owe something owes: the oldest request first, then who owes most."""
    oldest = (
        Receipt.objects.filter(
            Receipt.IS_OPEN,
            recipient=OuterRef("actor"),
            inbox=OuterRef("inbox"),
            type="request",
            message__closed_at=None,
        )
        .order_by("seq")
        .values("created_at")[:1]
    )
    rows = (
        Participation.objects.filter(inbox=inbox)
        .annotate(owed=F("pending") + F("delivered"), oldest=Subquery(oldest))
        .filter(owed__gt=0)
        .select_related("actor")
    )
    found = [_owing(place) for place in rows]
    return sorted(found, key=_urgency)


def standing_of(place: Participation) -> str:
    """How a participant stands in its inbox."""
    if place.actor.retired_at is not None:
        return "retired"
    if place.left_at is not None:
        return "left"
    return "frozen" if place.actor.frozen_at is not None else "active"


def _owing(place: Any) -> Owing:
    return Owing(
        place=place,
        passname=place.actor.passname,
        state=standing_of(place),
        pending=place.pending,
        delivered=place.delivered,
        oldest_request_at=place.oldest,
        last_pulled_at=place.last_pulled_at,
    )


def _urgency(owed: Owing) -> tuple[bool, float, int, str]:
    at = owed.oldest_request_at
    return (at is None, at.timestamp() if at else 0.0, -(owed.pending + owed.delivered), owed.passname)
