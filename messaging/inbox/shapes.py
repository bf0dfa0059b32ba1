"""Rows of an inbox as they leave the server: fixed keys in a fixed order."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from messaging.inbox.hands import Hand
from messaging.inbox.models import InboxEvent, Message, Receipt
from messaging.inbox.payloads import compact
from messaging.inbox.receipts import State
from messaging.inbox.selectors.messages import Standing
from messaging.inbox.selectors.queue import Item
from workforce import clock


def _ms(moment: datetime | None) -> int | None:
    return None if moment is None else clock.to_ms(moment)


def _there(shape: dict[str, Any]) -> dict[str, Any]:
    """Without what is not there."""
    return {name: value for name, value in shape.items() if value is not None and value is not False}


def frame_shape(hand: Hand) -> dict[str, Any]:
    """What every answer of a queue says, so that an empty one can be believed."""
    return {
        "inbox": hand.inbox.slug,
        "passname": hand.actor.passname,
        "counts": counts_shape(hand),
        "totalMessages": hand.inbox.message_seq,
        "newestSeq": hand.inbox.message_seq,
    }


def counts_shape(hand: Hand) -> dict[str, int]:
    """How many of the actor's receipts are open."""
    place = hand.place
    return {
        "open": place.pending + place.delivered,
        "pending": place.pending,
        "delivered": place.delivered,
    }


def preview_shape(item: Item) -> dict[str, Any]:
    """An item of a queue: enough to choose by, and never the payload."""
    return {
        "id": str(item.message_id),
        "seq": item.seq,
        "type": item.type,
        "topic": item.topic,
        "sender": item.sender,
        "replyingTo": item.replying_to_id and str(item.replying_to_id),
        "threadId": str(item.thread_id),
        "createdAt": _ms(item.created_at),
        "excerpt": item.excerpt,
        "payloadSize": item.payload_size,
        "state": item.state,
        "deliveredAt": _ms(item.delivered_at),
        **_marks(item),
        **_there({"closedBySender": item.closed_at is not None}),
    }


def head_shape(message: Message) -> dict[str, Any]:
    """A message without its payload: the answer to a send."""
    return {
        "id": str(message.pk),
        "seq": message.seq,
        "sender": message.sender.passname,
        "type": message.type,
        "topic": message.topic,
        "replyingTo": message.replying_to_id and str(message.replying_to_id),
        "threadId": str(message.thread_id),
        "depth": message.depth,
        "payloadSize": message.payload_size,
        "createdAt": _ms(message.created_at),
        **_marks(message),
        **_there({"closedAt": _ms(message.closed_at)}),
    }


def _marks(message: Message | Item) -> dict[str, Any]:
    return _there({"approval": message.approval, "removedAt": _ms(message.removed_at)})


def found_shape(message: Message, own: Receipt | None) -> dict[str, Any]:
    """A message of a search: its excerpt, and the caller's own state when it was sent to it."""
    return head_shape(message) | {"excerpt": message.excerpt} | _own(own)


def _own(receipt: Receipt | None) -> dict[str, Any]:
    if receipt is None:
        return {}
    return {"state": receipt.state, **_there({"deliveredAt": _ms(receipt.delivered_at)})}


def message_shape(message: Message, own: Receipt | None, *, max_chars: int | None = None) -> dict[str, Any]:
    """A message with its payload, or with the beginning of it when it is longer than ``max_chars``."""
    return head_shape(message) | _own(own) | _payload(message, max_chars)


def _payload(message: Message, max_chars: int | None) -> dict[str, Any]:
    if message.removed_at is not None:
        return {}
    if max_chars is not None:
        text = compact(message.payload)
        if len(text) > max_chars:
            return {"payloadExcerpt": text[:max_chars], "truncated": True}
    return {"payload": message.payload}


def standing_shape(standing: Standing, *, with_times: bool = False) -> dict[str, Any]:
    """What is known of a recipient."""
    shape: dict[str, Any] = {
        "passname": standing.passname,
        "state": standing.state,
        "frozen": standing.frozen,
        "lastPulledAt": _ms(standing.last_pulled_at),
        **_there({"retired": standing.retired, "left": standing.left}),
    }
    if with_times:
        shape |= _times(standing.state, standing.delivered_at, standing.closed_at)
    return shape


def receipt_shape(receipt: Receipt) -> dict[str, Any]:
    """A receipt, as a transition answers it; ``id`` is the message's."""
    return {
        "id": str(receipt.message_id),
        "passname": receipt.recipient.passname,
        "state": receipt.state,
        **_times(receipt.state, receipt.delivered_at, receipt.closed_at),
        **_there(
            {
                "note": receipt.note or None,
                "replyId": str(receipt.reply_id) if receipt.reply_id else None,
            }
        ),
    }


def _times(state: str, delivered_at: datetime | None, closed_at: datetime | None) -> dict[str, Any]:
    times = {"deliveredAt": _ms(delivered_at)}
    if closed_at is not None:
        times[f"{State(state).value}At"] = _ms(closed_at)
    return times


def event_shape(event: InboxEvent) -> dict[str, Any]:
    """One thing that happened."""
    return {
        "kind": event.kind,
        "passname": event.passname,
        "keyPrefix": event.key_prefix,
        "at": _ms(event.at),
        **_there(
            {
                "messageId": str(event.message_id) if event.message_id else None,
                "from": event.from_state or None,
                "to": event.to_state or None,
                "code": event.code or None,
            }
        ),
    }
