"""Worker messages as they leave the server."""

from __future__ import annotations

from typing import Any

from messaging.models import WorkerMessage
from workforce import clock


def message_shape(message: WorkerMessage) -> dict[str, Any]:
    """One message of the log."""
    shape: dict[str, Any] = {
        "id": message.message_id,
        "from": message.sender,
        "to": message.recipient,
        "text": message.text,
        "exchange": message.exchange,
        "replyTo": message.reply_to,
        "fromSession": message.from_session.address if message.from_session else "",
        "toSession": message.to_session.address if message.to_session else "",
        "chain": str(message.chain_uid),
        "hop": message.hop,
        "automatic": message.automatic,
        "status": message.status,
        "reason": message.reason,
        "at": clock.to_ms(message.at),
    }
    left_out = ("", False)
    return {name: value for name, value in shape.items() if value not in left_out or name in ("text", "hop")}
