"""The built-in agent: a worker with a conversation of its own."""

from __future__ import annotations

from typing import Any

from workforce.kinds.agent_settings import AgentSettings
from workforce.kinds.base import Action, Call, Mode, WorkerKind
from workforce.kinds.posts import PostDelivery
from workforce.models import Item
from workforce.services.items import append_item


def hear_post(call: Call) -> dict[str, Any]:
    """Keep a mailbox post in the seat's own conversation for that mailbox."""
    delivery: PostDelivery = call.input
    item = append_item(
        session=call.session,
        request=call.request,
        type=Item.Type.MESSAGE,
        data={"role": "user", "text": delivery.line(), "postId": delivery.post_id},
    )
    return {"itemId": str(item.id)}


class AgentKind(WorkerKind):
    """A worker that keeps what it hears in a conversation per mailbox."""

    name = "agent"
    description = "A worker that reads and answers in conversations."
    settings = AgentSettings

    def declare_actions(self) -> list[Action]:
        return [
            Action(
                name="onMailboxPost",
                input=PostDelivery,
                run=hear_post,
                mode=Mode.BACKGROUND,
                public=False,
                serial=True,
                description="A post of a mailbox that the seat is a member of.",
            ),
        ]
