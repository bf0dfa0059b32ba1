"""Asking for digests, and no longer asking. See docs/digests.md."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from messaging.digests.channels import check_channel
from messaging.digests.models import DigestSubscription
from messaging.digests.periods import end_of
from workforce import clock
from workforce.callers import Caller
from workforce.errors import InvalidInput
from workforce.models import Actor, Organization, User


@dataclass(frozen=True, slots=True)
class Subscriber:
    """Who gets digests: the actor when there is one, else the user."""

    organization: Organization
    user: User
    actor: Actor | None = None

    @classmethod
    def of(cls, caller: Caller) -> Subscriber:
        """The actor of a key; of a browser session its user."""
        actor = Actor.objects.get(pk=caller.actor_id) if caller.actor_id is not None else None
        return cls(caller.organization, caller.user, actor)


def subscriptions_of(subscriber: Subscriber) -> QuerySet[DigestSubscription]:
    """The subscriber's own, by channel."""
    rows = DigestSubscription.objects.filter(
        organization=subscriber.organization, user=subscriber.user, actor=subscriber.actor
    )
    return rows.select_related("organization", "user", "actor").order_by("channel")


def subscribe(
    *, subscriber: Subscriber, channel: str, cadence: str, address: str | None = None
) -> DigestSubscription:
    """Let digests go there from the present period on; what was set for the channel before is replaced.

    Without an address it is the one that is set, else the user's e-mail address. The same call again changes
    nothing. Raises ChannelUnavailable, InvalidInput.
    """
    now = clock.now()
    with transaction.atomic():
        kept = subscriptions_of(subscriber).select_for_update(of=("self",)).filter(channel=channel).first()
        address = address or (kept.address if kept else "") or _own_address(subscriber, channel)
        check_channel(channel, address)
        if kept is None:
            made = _try_to_begin(subscriber, channel, cadence, address, now)
            # None: somebody else began at this moment, and what it set is replaced
            return made or subscribe(subscriber=subscriber, channel=channel, cadence=cadence, address=address)
        if (kept.address, kept.cadence) != (address, cadence):
            kept.address, kept.cadence = address, cadence
            kept.attempts, kept.error = 0, ""
            changed = ["address", "cadence", "attempts", "error"]
            if kept.sending_until is None:  # else whoever is sending has the row until it is done
                kept.next_at = end_of(now, cadence)
                changed.append("next_at")
            kept.save(update_fields=changed)
    return kept


def _try_to_begin(
    subscriber: Subscriber, channel: str, cadence: str, address: str, now: datetime
) -> DigestSubscription | None:
    """The subscriber's first subscription for the channel; None when it has one by now."""
    try:
        with transaction.atomic():
            return DigestSubscription.objects.create(
                organization=subscriber.organization,
                user=subscriber.user,
                actor=subscriber.actor,
                channel=channel,
                address=address,
                cadence=cadence,
                covered_until=now,
                next_at=end_of(now, cadence),
            )
    except IntegrityError:
        return None


def unsubscribe(*, subscriber: Subscriber, channel: str) -> bool:
    """End the digests over the channel; whether there were any."""
    removed, _ = DigestSubscription.objects.filter(
        pk__in=subscriptions_of(subscriber).filter(channel=channel).order_by().values("pk")
    ).delete()
    return bool(removed)


def hasten(subscription: DigestSubscription) -> None:
    """Let a digest that failed be tried again at once."""
    DigestSubscription.objects.filter(pk=subscription.pk, attempts__gt=0, sending_until=None).update(
        next_at=clock.now()
    )


def _own_address(subscriber: Subscriber, channel: str) -> str:
    if channel == DigestSubscription.Channel.EMAIL and subscriber.user.email:
        return subscriber.user.email
    raise InvalidInput.at("address", "is required: nothing is known of where to send")
