"""What becomes of actors and keys, written down in the inboxes that it concerns."""

from __future__ import annotations

from messaging.inbox.models import InboxEvent, Participation
from messaging.inbox.services.recording import record_about
from workforce.services.noticing import ActorChange


def keep_change(change: ActorChange) -> None:
    """Write an event into every inbox that the actor takes part in. Registered with workforce."""
    places = Participation.objects.filter(actor=change.actor, left_at=None).select_related("inbox")
    for place in places.order_by("pk"):
        record_about(
            inbox=place.inbox,
            kind=InboxEvent.Kind(change.kind),
            actor=change.actor,
            key_prefix=change.key_prefix,
            operator=change.operator,
        )
