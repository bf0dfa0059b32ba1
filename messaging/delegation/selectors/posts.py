"""The posts that a coordinator handed on, and the lines around them."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from messaging.delegation.models import HandOff, Round
from messaging.delegation.modes import HOLDING, RECENT_CHARACTERS, RECENT_LINES
from workforce.kinds.posts import SaidLine
from workforce.models import Item, Session


@dataclass(frozen=True, slots=True)
class Post:
    """A line that a coordinator may hand to its delegates; its id is the request that it came with."""

    uid: uuid.UUID
    principal: str
    body: str
    #: The mailbox's post that the first answer answers; empty when none is owed.
    mailbox_post: str = ""

    @property
    def said(self) -> SaidLine:
        """The post as an evaluator is shown it."""
        return {"from": self.principal, "text": self.body}


def post_of(row: Round) -> Post:
    """The post of a round."""
    return Post(row.post_uid, row.principal, row.body, row.mailbox_post)


def find_round(session: Session, post_uid: uuid.UUID, number: int) -> Round | None:
    """The round of this number of a post, when it was opened."""
    return Round.objects.filter(session=session, post_uid=post_uid, number=number).first()


def find_holder(session: Session) -> str | None:
    """The delegate that has the conversation's last post by evaluation or as the fallback, and has not answered it."""
    last = Round.objects.filter(session=session, number=0).order_by("-id").first()
    if last is None or last.by not in HOLDING:
        return None
    waiting = last.hand_offs.filter(status=HandOff.Status.WAITING).select_related("seat").first()
    return None if waiting is None else waiting.seat.seat_id


def answers_of(row: Round) -> list[SaidLine]:
    """What the delegates of a round answered, in the order of their answers."""
    answered = row.hand_offs.filter(status=HandOff.Status.ANSWERED).select_related("seat")
    return [
        {"from": hand_off.seat.seat_id, "text": hand_off.text} for hand_off in answered.order_by("settled_at")
    ]


def recent_lines(session: Session, before: uuid.UUID) -> list[SaidLine]:
    """The last lines of the conversation before a post's own, oldest first, within what a delegate is shown."""
    items = Item.objects.filter(session=session, type=Item.Type.MESSAGE).exclude(request__uid=before)
    lines: list[SaidLine] = []
    left = RECENT_CHARACTERS
    for data in filter(None, items.order_by("-seq").values_list("data", flat=True)[:RECENT_LINES]):
        text = str(data.get("text", ""))[:left]
        if not text:
            break
        lines.append({"from": str(data.get("author") or session.owner.username), "text": text})
        left -= len(text)
    return lines[::-1]
