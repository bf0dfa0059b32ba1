"""Handing a delegate's answer to the conversation that it was asked from. See docs/delegation.md."""

from __future__ import annotations

from workforce.dispatch.handoffs import hand_off
from workforce.kinds.delegated import TAKE, DelegateAnswer
from workforce.models import Request, Session


def answer_request(*, conversation: Session, answer: DelegateAnswer, of: Request) -> Request:
    """The answer of a delegate's run as the coordinator's conversation takes it, unsaved: one row for each token."""
    return hand_off(
        of=of,
        session_id=conversation.pk,
        action=TAKE,
        input=answer.model_dump(mode="json"),
        key=f"delegated:{answer.token}",
    )
