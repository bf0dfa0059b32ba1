"""What a story's server process left in its inboxes, looked at in a shell on the same database."""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Any


def seed() -> None:
    """Print three participants of one inbox with their keys."""
    from messaging.inbox.services.admitting import admit_actor
    from messaging.inbox.services.opening import create_inbox
    from workforce.services.organizations import ensure_organization, ensure_user

    organization, user = ensure_organization(slug="acme"), ensure_user(username="ada")
    inbox = create_inbox(organization=organization, slug="release")
    given = {"organization": organization, "user": user, "grants": [], "inbox": inbox, "scope": "write"}
    keys = {name: admit_actor(passname=name, **given)[2] for name in ("planner", "coder", "reviewer")}
    sys.stdout.write(json.dumps(keys))


def report() -> None:
    """Print every message and closed receipt, and whatever is half there."""
    from messaging.inbox.models import Inbox, Message, Receipt

    inbox = Inbox.objects.get()
    messages = Message.objects.filter(inbox=inbox).order_by("seq")
    closed = Receipt.objects.filter(inbox=inbox, closed_at__isnull=False).select_related("recipient")
    told = {
        "messages": [[str(message.pk), message.payload] for message in messages],
        "closed": [[str(row.message_id), row.recipient.passname, row.state] for row in closed],
        "halves": list(_halves(inbox)),
    }
    sys.stdout.write(json.dumps(told))


def _halves(inbox: Any) -> Any:
    from messaging.inbox.models import InboxEvent, Message, Participation, Receipt

    messages = list(Message.objects.filter(inbox=inbox).order_by("seq"))
    if [message.seq for message in messages] != list(range(1, inbox.message_seq + 1)):
        yield "the numbers have a gap"
    receipts = list(Receipt.objects.filter(inbox=inbox))
    of_message = Counter(row.message_id for row in receipts)
    still_open = Counter(row.message_id for row in receipts if row.closed_at is None)
    events = Counter(InboxEvent.objects.filter(inbox=inbox).values_list("kind", "message_id", "actor_id"))
    for message in messages:
        found = (
            of_message[message.pk],
            still_open[message.pk],
            events["sent", message.pk, message.sender_id],
        )
        if found != (message.recipient_count, message.open_receipts, 1):
            yield f"message {message.seq}: receipts, open, events: {found}"
    for row in receipts:
        wanted = 1 if row.closed_at is not None else 0
        if events["completed", row.message_id, row.recipient_id] != wanted:
            yield f"receipt of {row.seq}: {row.state}, events: {events['completed', row.message_id, row.recipient_id]}"
    for place in Participation.objects.filter(inbox=inbox):
        states = Counter(row.state for row in receipts if row.recipient_id == place.actor_id)
        if (place.pending, place.delivered) != (states["pending"], states["delivered"]):
            yield f"counts of {place.actor_id}"
