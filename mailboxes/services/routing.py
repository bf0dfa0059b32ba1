"""Placing a person's post with one member of a routed mailbox. See docs/routing.md, "Routing"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from mailboxes.evaluators import Question, evaluate
from mailboxes.models import Placement
from mailboxes.routing import By, Decision, Judged, decide, find_holder
from mailboxes.selectors.ledger import find_placement, last_post, recent_lines, said
from mailboxes.selectors.seats import hearing_seats, routing_choices
from mailboxes.services.waking import told, wake_seats
from mailboxes.state import members_of
from workforce.kinds import Call, Work
from workforce.models import Item, Seat, Session
from workforce.services.items import append_item

#: The component of the items that say where a post went.
ROUTE = "mailbox-route"
_NOBODY_TO_CHOOSE = Judged(None, "no member has a seat that hears posts and a description")


@dataclass(frozen=True, slots=True)
class Routing:
    """What the slow part came to: placed already (held, or by a run before this one), or how it was judged."""

    fallback: str
    judged: Judged | None = None


def prepare_routing(work: Work, line: Mapping[str, Any], fallback: str) -> Routing:
    """Place the post where a member is on it already, else ask the evaluator, outside of any transaction.

    A hold is decided and placed in one step, the mailbox locked: between its end and the run the member could
    speak, and then nobody would have been asked. Raises RunLost and RunAborted.
    """
    with work.step() as call:
        if find_placement(UUID(line["postId"])) is not None:
            return Routing(fallback)
        post = _post_of(call.session, line)
        seats = hearing_seats(call.session, members_of(call.session))
        holder = find_holder(last_post(post), seats)
        if holder is not None:
            _settle(call, line, post, Decision(By.HELD, holder), seats)
            return Routing(fallback)
        choices = routing_choices(seats)
        question = Question(post=said(post), recent=recent_lines(post), choices=choices)
    if not choices:
        return Routing(fallback, _NOBODY_TO_CHOOSE)
    verdict = evaluate(question)
    return Routing(fallback, Judged(verdict.member, verdict.reason, verdict.score))


def place_post(*, call: Call, line: Mapping[str, Any], routing: Routing) -> list[dict[str, Any]]:
    """Decide on the locked ledger, unless it was, and wake that member in the same transaction.

    Returns the fan-out's output: one entry, of the member that was told or of the fallback that was not.
    """
    placed = find_placement(UUID(line["postId"]))
    if placed is None:
        assert routing.judged is not None  # only a post that is placed is not judged
        post = _post_of(call.session, line)
        seats = hearing_seats(call.session, members_of(call.session))
        decision = decide(
            last=last_post(post),
            judged=routing.judged,
            choices=routing_choices(seats),
            fallback=routing.fallback,
            reachable=seats,
        )
        placed = _settle(call, line, post, decision, seats)
    if placed.member:
        return [told(placed.member)]
    return [told(routing.fallback, placed.reason)]


def _post_of(session: Session, line: Mapping[str, Any]) -> Item:
    return Item.objects.get(session=session, pk=UUID(line["postId"]))


def _settle(
    call: Call, line: Mapping[str, Any], post: Item, decision: Decision, seats: Mapping[str, Seat]
) -> Placement:
    """Record where the post goes, show it, and owe the member its delivery."""
    placed = Placement.objects.create(
        post=post, by=decision.by, member=decision.member, reason=decision.reason, score=decision.score
    )
    append_item(
        session=call.session,
        request=call.request,
        type=Item.Type.COMPONENT,
        component=ROUTE,
        data=_shown(placed),
    )
    if placed.member:
        delivery = {**line, "routed": True, "recent": recent_lines(post)}
        wake_seats(call=call, line=delivery, seats=[seats[placed.member]])
    return placed


def _shown(placed: Placement) -> dict[str, Any]:
    shown = {
        "postId": str(placed.pk),
        "by": str(placed.by),
        "member": placed.member,
        "reason": placed.reason,
        "score": placed.score,
    }
    return {name: value for name, value in shown.items() if value not in ("", None)}
