"""Handing a delegate's answer to the conversation that it was asked from. See docs/delegation.md."""

from __future__ import annotations

from workforce.ids import new_uuid
from workforce.kinds.delegated import TAKE, DelegateAnswer
from workforce.models import Request, Session


def answer_request(*, conversation: Session, answer: DelegateAnswer, of: Request) -> Request:
    """The answer of a delegate's run as the coordinator's conversation takes it, unsaved: one row for each token."""
    return Request(
        uid=new_uuid(),
        session=conversation,
        action=TAKE,
        source=Request.Source.DISPATCH,
        serial=True,
        input=answer.model_dump(mode="json"),
        dispatch_key=f"delegated:{answer.token}",
        parent_uid=of.uid,
        chain_uid=of.chain_uid,
    )
