"""What somebody in the admin does with a message for itself: as an actor of its own, and as nobody else."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from messaging.inbox.hands import Hand
from messaging.inbox.models import Message, Participation, Receipt
from messaging.inbox.receipts import Act, State, Type, acts_on
from messaging.inbox.services.closing import close_message
from messaging.inbox.services.moving import move_receipt
from workforce.errors import InvalidInput, NotAllowed
from workforce.models import Actor

CLOSE = "close"
_LABELS = {Act.ACKNOWLEDGE: "Acknowledge", Act.COMPLETE: "Complete", Act.ARCHIVE: "Archive"}
_DONE = {Act.ACKNOWLEDGE: "acknowledged", Act.COMPLETE: "completed", Act.ARCHIVE: "archived"}


def own_places(request: HttpRequest, message: Message) -> list[Participation]:
    """Where the caller's own actors take part in the message's inbox, and may act."""
    rows = Participation.objects.filter(
        inbox=message.inbox_id,
        left_at=None,
        actor__user=request.user.pk,
        actor__retired_at=None,
        actor__frozen_at=None,
    )
    return list(rows.select_related("actor").order_by("actor__passname")[:20])


def own_acts(request: HttpRequest, message: Message, receipts: list[Receipt]) -> list[dict[str, Any]]:
    """What the caller can do with the message now, as which of its actors."""
    mine = {receipt.recipient_id: receipt for receipt in receipts}
    found: list[dict[str, Any]] = []
    for place in own_places(request, message):
        name = place.actor.passname
        if message.sender_id == place.actor_id and message.closed_at is None:
            found.append({"act": CLOSE, "label": "Close", "passname": name})
        receipt = mine.get(place.actor_id)
        for act in _legal(message, receipt, place.actor) if receipt else ():
            found.append({"act": act.value, "label": _LABELS[act], "passname": name})
    return found


def _legal(message: Message, receipt: Receipt, actor: Actor) -> list[Act]:
    return acts_on(
        state=State(receipt.state),
        type=Type(message.type),
        approval=message.approval,
        by_person=actor.kind == Actor.Kind.PERSON,
    )


def act_as_oneself(request: HttpRequest, message: Message) -> str:
    """Do what was posted, as the actor that was named, which must be the caller's own; what was done, in words.

    Raises NotAllowed for anybody else's, InvalidInput for an act that is none, and as the services do.
    """
    named, act = request.POST.get("passname", ""), request.POST.get("act", "")
    place = next((place for place in own_places(request, message) if place.actor.passname == named), None)
    if place is None:
        raise NotAllowed("only as an actor of your own that takes part in this inbox")
    hand = Hand(inbox=message.inbox, actor=place.actor, participation=place)
    if act == CLOSE:
        close_message(hand=hand, message_id=message.pk)
        return f"Closed by {named}."
    if act not in list(Act):
        raise InvalidInput.at("act", "must be close, acknowledge, complete or archive")
    move_receipt(hand=hand, message_id=message.pk, act=Act(act))
    return f"{_DONE[Act(act)].capitalize()} by {named}."
