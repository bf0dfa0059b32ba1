"""What the page of one message shows: all of it, where its recipients stand, its thread, its events."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from messaging.admin.inboxpage import event_rows, message_row
from messaging.admin.ownacts import own_acts
from messaging.inbox.models import Message, Participation, Receipt
from messaging.inbox.receipts import State
from messaging.inbox.selectors.audit import events_of_message
from messaging.inbox.selectors.messages import receipts_of
from messaging.inbox.selectors.owing import standing_of
from messaging.inbox.selectors.threads import thread_of
from workforce.admin.shown import NOTHING, dated, page_of, pretty, storable, when

#: How many receipts and events, and how many messages of the thread on each side, the page shows.
RECEIPTS, EVENTS, AROUND = 200, 50, 25
#: How far a reply is set in, at most.
DEEPEST = 6
STATES = {
    State.PENDING: "warning",
    State.DELIVERED: "info",
    State.ACKNOWLEDGED: "success",
    State.COMPLETED: "success",
    State.ARCHIVED: "",
}


def letter_context(request: HttpRequest, message: Message) -> dict[str, Any]:
    """The context of the message's page, in a constant number of queries."""
    receipts = list(receipts_of(message).select_related("recipient", "handed_from").order_by("pk")[:RECEIPTS])
    gone = _gone(message, receipts)
    return {
        "message": message,
        "inbox_url": page_of(message.inbox),
        "sender_url": page_of(message.sender),
        "payload": "" if message.removed_at else pretty(message.payload),
        "facts": _facts(message),
        "receipts": [_receipt(receipt, gone.get(receipt.recipient_id, "")) for receipt in receipts],
        "receipts_left_out": message.recipient_count - len(receipts),
        "acts": own_acts(request, message, receipts),
        "act_url": reverse("admin:messaging_message_own", args=[message.pk]),
        "events": event_rows(events_of_message(message).order_by("pk")[:EVENTS]),
        **_thread(request, message),
    }


def _facts(message: Message) -> list[tuple[str, Any]]:
    facts = [
        ("id", str(message.pk)),
        ("number", str(message.seq)),
        ("sent", dated(message.created_at)),
        ("closed", dated(message.closed_at) if message.closed_at else ""),
        ("taken away", dated(message.removed_at) if message.removed_at else ""),
        ("size", f"{message.payload_size} bytes"),
        ("depth", str(message.depth)),
    ]
    return [(name, value) for name, value in facts if value]


def _gone(message: Message, receipts: list[Receipt]) -> dict[int, str]:
    """How those of the recipients stand who are not simply there, by actor."""
    places = Participation.objects.filter(
        inbox=message.inbox_id, actor__in=[receipt.recipient_id for receipt in receipts]
    )
    standing = {place.actor_id: standing_of(place) for place in places.select_related("actor")}
    return {actor: state for actor, state in standing.items() if state != "active"}


def _receipt(receipt: Receipt, gone: str) -> dict[str, Any]:
    return {
        "passname": receipt.recipient.passname,
        "url": page_of(receipt.recipient),
        "state": receipt.state,
        "label": STATES[State(receipt.state)],
        "gone": gone,
        "is_nobodys": gone in ("retired", "left") and receipt.closed_at is None,
        "delivered": when(receipt.delivered_at) if receipt.delivered_at else NOTHING,
        "closed": when(receipt.closed_at) if receipt.closed_at else "",
        "note": storable(receipt.note),
        "handed_from": receipt.handed_from.passname if receipt.handed_from else "",
        "reply_url": reverse("admin:messaging_message_change", args=[receipt.reply_id])
        if receipt.reply_id
        else "",
    }


def _thread(request: HttpRequest, message: Message) -> dict[str, Any]:
    """The thread around the message, or around the number that is asked for, in order."""
    asked = request.GET.get("at", "")
    at = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 19 else message.seq
    rows = thread_of(message.inbox, message)
    before = list(rows.filter(seq__lte=at).order_by("-seq")[: AROUND + 1])
    after = list(rows.filter(seq__gt=at).order_by("seq")[: AROUND + 1])
    shown = [*before[:AROUND][::-1], *after[:AROUND]]
    return {
        "thread": [
            message_row(row) | {"is_this": row.pk == message.pk, "depth": min(row.depth, DEEPEST)}
            for row in shown
        ],
        "earlier": max(0, shown[0].seq - AROUND) if len(before) > AROUND else None,
        "later": shown[-1].seq + 1 if len(after) > AROUND else None,
    }
