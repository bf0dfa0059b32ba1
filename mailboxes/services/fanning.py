"""The fan-out of one line: the slow part without a lock, the telling with its completion. See docs/routing.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from mailboxes.selectors.ledger import how_routed
from mailboxes.services.routing import Routing, place_post, prepare_routing
from mailboxes.services.standing_in import stand_in
from mailboxes.services.waking import tell_members
from mailboxes.state import is_mailbox_state
from workforce.kinds import Call, Work


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the slow part leaves for the run that completes the fan-out."""

    #: None when every member is told.
    routing: Routing | None = None
    #: Members without a seat that the fallback step was called for, with its failures.
    stood_in: Mapping[str, str | None] = field(default_factory=dict)


def prepare_fan_out(work: Work, line: Mapping[str, Any]) -> Prepared:
    """Judge whose the post is, in a mailbox that routes today; else have members without a seat stood in for.

    A post that was placed before stays where it is, whatever the file says now.
    """
    if not is_mailbox_state(work.session.state):
        return Prepared()
    if not line.get("seatAuthored"):
        fallback, is_placed = how_routed(work.session, UUID(line["postId"]))
        if fallback or is_placed:
            return Prepared(prepare_routing(work, line, fallback))
    return Prepared(stood_in=stand_in(work, line))


def finish_fan_out(*, call: Call, line: Mapping[str, Any], prepared: Prepared) -> list[dict[str, Any]]:
    """Tell whoever is to be told; returns one entry per member that was or should have been."""
    if not is_mailbox_state(call.session.state):
        return []
    if prepared.routing is not None:
        return place_post(call=call, line=line, routing=prepared.routing)
    return tell_members(call=call, line=line, stood_in=prepared.stood_in)
