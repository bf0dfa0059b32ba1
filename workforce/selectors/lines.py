"""Transcript lines as they leave the server."""

from __future__ import annotations

from typing import Any

from workforce import clock
from workforce.models import Item


def line_of(item: Item) -> dict[str, Any]:
    """The line of a ``mailbox-post`` item, in its fixed order of keys. See docs/mailboxes.md."""
    line: dict[str, Any] = {
        "id": str(item.id),
        "seq": item.line_seq,
        "at": clock.to_ms(item.at),
        "principal": item.principal,
    }
    if item.author:
        line["author"] = item.author
    line["authorVerified"] = False
    if item.seat_authored:
        line["seatAuthored"] = True
    line["body"] = item.body
    if item.passname:
        line["passname"] = item.passname
    return line
