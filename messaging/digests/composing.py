"""What a digest says: numbers, ages and names. No column that holds what somebody wrote is read here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db.models import Count, Exists, Min, OuterRef, QuerySet

from messaging.digests.models import DigestSubscription
from messaging.inbox.models import Inbox, Participation, Receipt
from workforce.models import Membership

#: How many lines and names of one inbox, and how many inboxes, a digest has; the rest is counted.
LINES, NAMES, INBOXES = 12, 12, 12
_RUNNING = (Membership.Role.OWNER, Membership.Role.OPERATOR)
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))


@dataclass(frozen=True, slots=True)
class Group:
    """Messages of one type and topic that are open, and since when the oldest of them is."""

    type: str
    topic: str
    count: int
    oldest_at: datetime


@dataclass(frozen=True, slots=True)
class News:
    """What is new in one inbox and still open."""

    inbox: str
    groups: list[Group]
    senders: list[str]
    link: str


def news_for(subscription: DigestSubscription, *, since: datetime, until: datetime) -> list[News]:
    """What was sent in that time and is still open for whom the digest is; two queries beside who that is.

    Nothing of what a recipient or the sender has closed meanwhile, and nothing for whoever may not see it any more.
    """
    rows = _visible(subscription)
    if rows is None:
        return []
    fresh = rows.filter(
        Receipt.IS_OPEN, created_at__gte=since, created_at__lt=until, message__closed_at=None
    ).order_by()
    groups: dict[int, list[Group]] = {}
    counted = fresh.values_list("inbox_id", "type", "topic").annotate(
        count=Count("message", distinct=True), oldest=Min("created_at")
    )
    for inbox, type, topic, count, oldest in counted:
        groups.setdefault(inbox, []).append(Group(type, topic, count, oldest))
    senders: dict[int, list[str]] = {}
    for inbox, name in fresh.values_list("inbox_id", "sender__passname").distinct() if groups else ():
        senders.setdefault(inbox, []).append(name)
    inboxes = Inbox.objects.filter(pk__in=groups).order_by("slug")
    return [
        News(
            inbox.slug,
            sorted(groups[inbox.pk], key=_first),
            sorted(senders[inbox.pk]),
            _link(subscription, inbox),
        )
        for inbox in inboxes
    ]


def _visible(subscription: DigestSubscription) -> QuerySet[Receipt] | None:
    """The receipts that the digest is about; None for somebody who may see none.

    An actor's own; of a user those of its actors, or of everybody in the organization when it runs that.
    """
    actor, organization = subscription.actor, subscription.organization_id
    role = Membership.objects.filter(user=subscription.user_id, organization=organization).values_list(
        "role", flat=True
    )
    rows = Receipt.objects.filter(inbox__organization=organization)
    if not subscription.user.is_active or (actor is None and not (found := list(role))):
        return None
    if actor is not None:
        rows = rows.filter(recipient=actor)
    elif found[0] in _RUNNING:
        return rows
    else:
        rows = rows.filter(recipient__user=subscription.user_id)
    takes_part = Participation.objects.filter(
        inbox=OuterRef("inbox"),
        actor=OuterRef("recipient"),
        left_at=None,
        actor__retired_at=None,
        actor__frozen_at=None,
    )
    return rows.filter(Exists(takes_part))


def _first(group: Group) -> tuple[datetime, str, str]:
    return group.oldest_at, group.topic, group.type


def _link(subscription: DigestSubscription, inbox: Inbox) -> str:
    """Where to look: an actor at its queue, a person at the admin's page."""
    path = f"/api/inboxes/{inbox.slug}/queue"
    if subscription.actor is None:
        path = f"/admin/messaging/inbox/{inbox.pk}/change/"
    return f"{settings.PUBLIC_URL.rstrip('/')}{path}"


def subject_of(subscription: DigestSubscription, news: list[News]) -> str:
    """One line: how much there is, and in how many inboxes."""
    count = sum(group.count for one in news for group in one.groups)
    where = news[0].inbox if len(news) == 1 else f"{len(news)} inboxes"
    return f"Workforce, {subscription.cadence}: {count} open in {where}"


def text_of(subscription: DigestSubscription, news: list[News], *, now: datetime) -> str:
    """The digest as text for people."""
    lines = [f"New for {subscription.subscriber} ({subscription.organization.slug}), and still open:"]
    for one in news[:INBOXES]:
        lines += ["", one.inbox]
        lines += [
            f"  {group.count} × {group.type} in {group.topic}, oldest {_age(now, group.oldest_at)}"
            for group in one.groups[:LINES]
        ]
        lines += _more(one.groups[LINES:])
        names = ", ".join(one.senders[:NAMES])
        left = len(one.senders) - NAMES
        lines += [f"  from {names}" + (f" and {left} more" if left > 0 else ""), f"  {one.link}"]
    if len(news) > INBOXES:
        lines += ["", f"and in {len(news) - INBOXES} more inboxes"]
    return "\n".join(lines)


def _more(groups: list[Group]) -> list[str]:
    return [f"  {sum(group.count for group in groups)} more in other topics"] if groups else []


def _age(now: datetime, moment: datetime) -> str:
    seconds = max(0, int((now - moment).total_seconds()))
    size, unit = next((entry for entry in _UNITS if seconds >= entry[0]), (1, "s"))
    return f"{seconds // size} {unit}"
