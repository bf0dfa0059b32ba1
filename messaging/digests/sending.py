"""Sending what is due, each digest by one process. See docs/digests.md, "Once"."""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog
from django.db.models import F

from messaging.digests.channels import NotSent, deliver
from messaging.digests.composing import news_for, subject_of, text_of
from messaging.digests.models import DigestSubscription
from messaging.digests.periods import begin_of, end_of, pause_after
from workforce import clock

#: How long whoever took a digest has it alone: far longer than a channel may take.
HELD = timedelta(minutes=5)
#: How many digests one call sends at most.
AT_ONCE = 100
log = structlog.get_logger(__name__)


def is_any_due() -> bool:
    """Whether a digest should be sent now."""
    return DigestSubscription.objects.filter(next_at__lte=clock.now()).exists()


def send_due() -> int:
    """Send every digest that is due and has something to say; how many were sent. Safe to run many times at once."""
    due = DigestSubscription.objects.filter(next_at__lte=clock.now()).order_by("next_at")
    keys = list(due.values_list("pk", "next_at")[:AT_ONCE])
    return sum(_send(pk, seen) for pk, seen in keys)


def _send(pk: int, seen: datetime) -> bool:
    held_until = clock.now() + HELD
    # Whoever moves it ahead has it; the others find that it moved.
    if not DigestSubscription.objects.filter(pk=pk, next_at=seen).update(next_at=held_until):
        return False
    rows = DigestSubscription.objects.select_related("organization", "user", "actor__user")
    subscription = rows.filter(pk=pk, next_at=held_until).first()
    if subscription is None:
        return False
    if subscription.sending_until is not None and subscription.repeated:
        _settle(subscription, held_until, subscription.sending_until, error="its sender died twice; not sent")
        return False
    until = subscription.sending_until or begin_of(clock.now(), subscription.cadence)
    news = news_for(subscription, since=subscription.covered_until, until=until)
    if not news:
        _settle(subscription, held_until, until)
        return False
    mine = DigestSubscription.objects.filter(pk=pk, next_at=held_until)
    if not mine.update(sending_until=until, repeated=subscription.sending_until is not None):
        return False
    try:
        deliver(
            channel=subscription.channel,
            address=subscription.address,
            subject=subject_of(subscription, news),
            text=text_of(subscription, news, now=clock.now()),
        )
    except NotSent as refusal:
        _put_off(subscription, held_until, str(refusal))
        return False
    _settle(subscription, held_until, until, sent_at=clock.now())
    return True


def _settle(
    subscription: DigestSubscription,
    held_until: datetime,
    until: datetime,
    *,
    sent_at: datetime | None = None,
    error: str = "",
) -> None:
    """The digest was sent, or had nothing to say, or is given up: the next one begins where it ended."""
    changes: dict[str, object] = {"last_sent_at": sent_at} if sent_at else {}
    DigestSubscription.objects.filter(pk=subscription.pk, next_at=held_until).update(
        covered_until=max(until, subscription.covered_until),
        next_at=end_of(clock.now(), subscription.cadence),
        sending_until=None,
        repeated=False,
        attempts=0,
        error=error,
        **changes,
    )


def _put_off(subscription: DigestSubscription, held_until: datetime, words: str) -> None:
    """The channel refused it: it is written anew at the next try, with what is open then."""
    log.warning("digest_not_sent", subscription=subscription.pk, reason=words)
    DigestSubscription.objects.filter(pk=subscription.pk, next_at=held_until).update(
        next_at=clock.now() + pause_after(subscription.attempts + 1),
        sending_until=None,
        repeated=False,
        attempts=F("attempts") + 1,
        error=words[:200],
    )
