"""The one way an event is written."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from messaging.inbox.hands import Hand
from messaging.inbox.models import Inbox, InboxEvent, Message
from messaging.inbox.receipts import State
from messaging.inbox.statements import insert
from workforce.models import Actor
from workforce.services.rows import insert_copies

Kind = InboxEvent.Kind


def record(*, hand: Hand, kind: Kind, message: Message | None = None, code: str = "") -> None:
    """Write down what an actor did in an inbox."""
    insert(
        InboxEvent(
            inbox=hand.inbox,
            kind=kind,
            actor=hand.actor,
            passname=hand.actor.passname,
            key_prefix=hand.key_prefix,
            message=message,
            code=code,
        )
    )


def record_moves(*, hand: Hand, kind: Kind, to: State, moves: Iterable[tuple[UUID, str]]) -> None:
    """Write down that receipts moved: of which message, and from which state."""
    prototype = InboxEvent(
        inbox=hand.inbox,
        kind=kind,
        actor=hand.actor,
        passname=hand.actor.passname,
        key_prefix=hand.key_prefix,
        to_state=to,
    )
    insert_copies(prototype=prototype, columns=["message_id", "from_state"], rows=list(moves))


def record_about(*, inbox: Inbox, kind: Kind, actor: Actor, key_prefix: str = "", operator: str = "") -> None:
    """Write down what an operator did to an actor, or to a key of it."""
    InboxEvent.objects.create(
        inbox=inbox,
        kind=kind,
        actor=actor,
        passname=actor.passname,
        key_prefix=key_prefix,
        operator=operator,
    )
