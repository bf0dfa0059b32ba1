"""What a pull that found nothing waits for."""

from __future__ import annotations

from messaging.inbox.hands import Hand
from messaging.inbox.models import Participation

SORT = "inbox-queue"


def queue_topic(hand: Hand) -> dict[str, str]:
    """The topic of what is sent to the actor in the inbox, with the version that was read before the queue was."""
    return {f"{SORT}:{hand.place.pk}": _version(hand.place.newest_seq, hand.place.pending)}


def read_queues(keys: list[str]) -> dict[str, str]:
    """For each waiting participant what was sent or handed to it last; nothing for one that has left."""
    rows = Participation.objects.filter(pk__in=keys, left_at=None).values_list("pk", "newest_seq", "pending")
    return {str(pk): _version(seq, pending) for pk, seq, pending in rows}


def _version(newest_seq: int, pending: int) -> str:
    """Changes with every message to the actor, and with what is handed over to it."""
    return f"{newest_seq}.{pending}"
