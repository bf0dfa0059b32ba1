"""Handing over what a retired actor, or one that has left, still owes. See docs/inbox.md, "Handing over"."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.db.models import F

from messaging.inbox.errors import NotJoined, StillTakesPart
from messaging.inbox.models import Inbox, InboxEvent, Participation, Receipt
from messaging.inbox.receipts import State
from messaging.inbox.services.addressing import active
from workforce.refusals import quoted
from workforce.selectors.actors import get_actor
from workforce.sql.writing import insert_copies


@dataclass(frozen=True, slots=True)
class HandedOver:
    """How many open receipts another actor owes now, and how many stay because it has or sent the message itself."""

    moved: int
    stayed: int


def hand_over(*, inbox: Inbox, owed_by: str, to: str, operator: str = "") -> HandedOver:
    """Let ``to`` owe what ``owed_by`` left open: pending for it, as it has not pulled it.

    The same call again moves nothing. Raises UnknownPassname, NotJoined when either never took part or ``to`` does
    not now, StillTakesPart when ``owed_by`` does.
    """
    with transaction.atomic():
        Inbox.objects.select_for_update(no_key=True).get(pk=inbox.pk)
        source, target = _places(inbox, owed_by, to)
        receipts = list(
            Receipt.objects.filter(Receipt.IS_OPEN, inbox=inbox, recipient=source.actor)
            .select_for_update(no_key=True)
            .order_by("seq")
        )
        taken = _taken(target, receipts)
        moved = [receipt for receipt in receipts if receipt.message_id not in taken]
        if moved:
            _move(source, target, moved)
            _record(inbox, target, moved, operator)
    return HandedOver(len(moved), len(receipts) - len(moved))


def _places(inbox: Inbox, owed_by: str, to: str) -> tuple[Participation, Participation]:
    leaver, successor = (get_actor(inbox.organization, name) for name in (owed_by, to))
    source = Participation.objects.filter(inbox=inbox, actor=leaver).select_related("actor").first()
    target = active(inbox).filter(actor=successor).select_related("actor").first()
    for place, actor in ((source, leaver), (target, successor)):
        if place is None:
            raise NotJoined(f"{quoted(actor.passname)} takes no part in '{inbox.slug}'")
    assert source is not None
    assert target is not None
    if source.left_at is None and leaver.retired_at is None:
        raise StillTakesPart(
            f"{quoted(leaver.passname)} takes part in '{inbox.slug}' and owes it itself; "
            "let it leave or retire it first"
        )
    return source, target


def _taken(target: Participation, receipts: list[Receipt]) -> set[object]:
    """The messages that the successor was sent itself, or sent."""
    keys = [receipt.message_id for receipt in receipts]
    own = Receipt.objects.filter(recipient=target.actor, message_id__in=keys).values_list(
        "message_id", flat=True
    )
    sent = [receipt.message_id for receipt in receipts if receipt.sender_id == target.actor_id]
    return {*own, *sent}


def _move(source: Participation, target: Participation, receipts: list[Receipt]) -> None:
    Receipt.objects.filter(pk__in=[receipt.pk for receipt in receipts]).update(
        recipient=target.actor, handed_from=source.actor, state=State.PENDING, delivered_at=None
    )
    pending = sum(receipt.state == State.PENDING for receipt in receipts)
    Participation.objects.filter(pk=source.pk).update(
        pending=F("pending") - pending, delivered=F("delivered") - (len(receipts) - pending)
    )
    Participation.objects.filter(pk=target.pk).update(pending=F("pending") + len(receipts))


def _record(inbox: Inbox, target: Participation, receipts: list[Receipt], operator: str) -> None:
    prototype = InboxEvent(
        inbox=inbox,
        kind=InboxEvent.Kind.HANDED_OVER,
        actor=target.actor,
        passname=target.actor.passname,
        operator=operator,
        to_state=State.PENDING,
    )
    rows = [(receipt.message_id, receipt.state) for receipt in receipts]
    insert_copies(prototype=prototype, columns=["message_id", "from_state"], rows=rows)
