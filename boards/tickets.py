"""Tickets: what proves that somebody holds a row. Opaque, sealed, fenced by a number that only rises."""

from __future__ import annotations

from dataclasses import dataclass

from workforce.cursors import decode_cursor, encode_cursor
from workforce.errors import InvalidCursor

_SCOPE = "ticket"


@dataclass(frozen=True, slots=True)
class Ticket:
    """A board, a row of it, and the number of the claim."""

    board: int
    task: int
    claim_number: int


def write_ticket(ticket: Ticket) -> str:
    """The ticket as the holder keeps it."""
    return encode_cursor(_SCOPE, [ticket.board, ticket.task, ticket.claim_number])


def read_ticket(text: str) -> Ticket | None:
    """What the ticket stands for, or None for anything that was not handed out as one."""
    try:
        board, task, claim_number = decode_cursor(
            _SCOPE, text
        )  # sealed: only what write_ticket made comes back
    except InvalidCursor:
        return None
    return Ticket(board=board, task=task, claim_number=claim_number)
