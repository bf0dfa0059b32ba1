"""The one way an event is written."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from messaging.inbox.hands import Hand
from messaging.inbox.models import Inbox, InboxEvent, Message
from messaging.inbox.receipts import State
from workforce.models import Actor
from workforce.sql.writing import Write, copies, insertions, write_together

Kind = InboxEvent.Kind


def record(*, hand: Hand, kind: Kind, message: Message | None = None, code: str = "") -> None:
    """Write down what an actor did in an inbox."""
    write_together([recorded(hand=hand, kind=kind, message=message, code=code)])


def recorded(*, hand: Hand, kind: Kind, message: Message | None = None, code: str = "") -> Write:
    """The statement of ``record``, to be run together with others."""
    event = InboxEvent(
        inbox=hand.inbox,
        kind=kind,
        actor=hand.actor,
        passname=hand.actor.passname,
        key_prefix=hand.key_prefix,
        message=message,
        code=code,
    )
    return next(insertions([event]))


def record_moves(*, hand: Hand, kind: Kind, to: State, moves: Iterable[tuple[UUID, str]]) -> None:
    """Write down that receipts moved: of which message, and from which state."""
    write_together(recorded_moves(hand=hand, kind=kind, to=to, moves=moves))


def recorded_moves(*, hand: Hand, kind: Kind, to: State, moves: Iterable[tuple[UUID, str]]) -> list[Write]:
    """The statements of ``record_moves``, to be run together with others."""
    prototype = InboxEvent(
        inbox=hand.inbox,
        kind=kind,
        actor=hand.actor,
        passname=hand.actor.passname,
        key_prefix=hand.key_prefix,
        to_state=to,
    )
    return list(copies(prototype=prototype, columns=["message_id", "from_state"], rows=moves))


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
