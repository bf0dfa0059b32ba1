"""``discover``: what the inventory says, for the domains that a worker's file lists. See docs/workers.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import Field

from workforce.clock import to_ms
from workforce.errors import DomainError
from workforce.kinds import ClosedModel
from workforce.selectors.inventory import mailboxes_seen_by, seats_registered
from workforce.texts import Name
from workforce.toolsets import Tool, Turn
from workforce.vocabulary import Vocabulary

#: How many rows one answer has, how many members of each mailbox, and how much of a description.
LISTED = 100
MEMBERS = 50
SHOWN = 300


class UnknownDomain(DomainError):
    """The worker can look up nothing of this name."""

    code = "unknown-domain"


class Discover(ClosedModel):
    """What to look up."""

    domain: Name = Field(description="What to look up; the tool's description lists the domains.")


def discover(turn: Turn, asked: Discover) -> dict[str, Any]:
    """The rows of one domain. Raises UnknownDomain, naming those that the worker's file lists."""
    domains = _domains_of(turn)
    if asked.domain not in domains:
        raise UnknownDomain(Vocabulary("domain", domains).refuse([asked.domain]))
    return _LOOKS[asked.domain](turn)


def offer_discovery(turn: Turn) -> Iterator[Tool]:
    """The tool, for a worker whose file lists domains under ``discover``."""
    domains = _domains_of(turn)
    if domains:
        words = " or ".join(f"'{domain}'" for domain in domains)
        about = "; mailboxes say which ones you are in" if "mailboxes" in domains else ""
        yield Tool("discover", f"Look up what the organization has: {words}{about}.", Discover, discover)


def _domains_of(turn: Turn) -> list[str]:
    return [domain for domain in getattr(turn.settings, "discover", None) or () if domain in _LOOKS]


def _mailboxes(turn: Turn) -> dict[str, Any]:
    found, count = mailboxes_seen_by(turn.seat, most=LISTED)
    shown = [
        {
            "id": mailbox.row.mailbox_id,
            "kind": mailbox.row.kind,
            "joined": mailbox.joined,
            "members": mailbox.row.members[:MEMBERS],
            **_more(len(mailbox.row.members), MEMBERS),
        }
        for mailbox in found
    ]
    return {"mailboxes": shown, **_more(count, LISTED)}


def _seats(turn: Turn) -> dict[str, Any]:
    found, count = seats_registered(turn.seat.organization, most=LISTED)
    shown = [
        {
            "id": seat.row.seat_id,
            "kind": seat.row.kind,
            "hired": to_ms(seat.row.hired_at),
            **({"retired": True} if seat.description is None else {"description": seat.description[:SHOWN]}),
        }
        for seat in found
    ]
    return {"seats": shown, **_more(count, LISTED)}


def _more(count: int, shown: int) -> dict[str, int]:
    return {"more": count - shown} if count > shown else {}


_LOOKS: dict[str, Callable[[Turn], dict[str, Any]]] = {"mailboxes": _mailboxes, "seats": _seats}
