"""What a Celery worker runs for messaging. Each is safe to run twice, and at the same time."""

from __future__ import annotations

from celery import shared_task

from messaging.digests.sending import is_any_due, send_due
from workforce.dispatch.sending import SENDER, Message

SEND_DIGESTS = "messaging.digests"


@shared_task(name=SEND_DIGESTS)
def send_digests() -> int:
    """Send the digests that are due."""
    return send_due()


def sweep_digests() -> int:
    """Have a worker send the digests that are due: a slow mail server must not hold up the sweep itself."""
    if not is_any_due():
        return 0
    SENDER.put(Message(SEND_DIGESTS, ()))
    return 1
