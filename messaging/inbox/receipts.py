"""What may become of a receipt: the table of legal moves. Pure. See docs/inbox.md, "States"."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Type(StrEnum):
    """What the sender of a message expects. A promise, not a permission."""

    REQUEST = "request"
    INFO = "info"
    MESSAGE = "message"


class State(StrEnum):
    """Where one recipient stands with one message; the last three are final."""

    PENDING = "pending"
    DELIVERED = "delivered"
    ACKNOWLEDGED = "acknowledged"
    COMPLETED = "completed"
    ARCHIVED = "archived"


class Act(StrEnum):
    """What a recipient can do with what it was sent."""

    ACKNOWLEDGE = "acknowledge"
    COMPLETE = "complete"
    ARCHIVE = "archive"


class Verdict(StrEnum):
    """What comes of an act."""

    MOVE = "move"
    #: It was done before: the same call again.
    DONE = "done"
    ALREADY_CLOSED = "already-closed"
    NOT_ACKNOWLEDGEABLE = "not-acknowledgeable"
    NEEDS_A_PERSON = "needs-a-person"


OPEN = frozenset({State.PENDING, State.DELIVERED})
CLOSED = frozenset({State.ACKNOWLEDGED, State.COMPLETED, State.ARCHIVED})

#: Where each act leads; each works from every open state, whatever it is.
TARGETS: Mapping[Act, State] = {
    Act.ACKNOWLEDGE: State.ACKNOWLEDGED,
    Act.COMPLETE: State.COMPLETED,
    Act.ARCHIVE: State.ARCHIVED,
}


def is_open(state: State) -> bool:
    """Whether the recipient still owes something."""
    return state in OPEN


def judge(act: Act, *, state: State, type: Type, approval: bool = False, by_person: bool = False) -> Verdict:
    """What comes of the act on a receipt that stands so.

    ``approval`` says that the message is a request for an approval, ``by_person`` that the actor is a person.
    A closed receipt is final, so its state is looked at first: whoever repeats a call learns what was done.
    """
    if state in CLOSED:
        return Verdict.DONE if TARGETS[act] is state else Verdict.ALREADY_CLOSED
    if act is Act.ACKNOWLEDGE and type is Type.REQUEST:
        return Verdict.NOT_ACKNOWLEDGEABLE
    if act is Act.COMPLETE and approval and not by_person:
        return Verdict.NEEDS_A_PERSON
    return Verdict.MOVE


def acts_on(*, state: State, type: Type, approval: bool = False, by_person: bool = False) -> list[Act]:
    """The acts that would move the receipt now, in their fixed order."""
    return [
        act
        for act in Act
        if judge(act, state=state, type=type, approval=approval, by_person=by_person) is Verdict.MOVE
    ]
