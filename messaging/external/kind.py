"""The kind ``external``: a seat whose agent lives outside and pulls what it owes. See docs/external-seats.md."""

from __future__ import annotations

from typing import Any

from boards.drains.stations import WORK
from messaging.external.selectors.standing import EXTERNAL
from messaging.external.services.delegated import take_task, tell_delegated, tell_task
from messaging.external.services.replying import CARRY, ReplyInput, carry_reply
from messaging.external.services.telling import tell_message, tell_post, tell_row
from messaging.external.settings import ExternalSettings
from workforce.kinds.base import Action, Mode, WorkerKind
from workforce.kinds.delegated import HEAR as HEAR_DELEGATED
from workforce.kinds.delegated import DelegatedPost
from workforce.kinds.messages import MessageDelivery
from workforce.kinds.posts import PostDelivery
from workforce.kinds.tasks import HEAR_READY, TaskDelivery, TaskReady


class ExternalKind(WorkerKind):
    """A worker without a turn of its own: what would wake it becomes an item in its actor's inbox."""

    name = EXTERNAL
    description = "An agent that lives outside and pulls what it owes from a durable inbox."
    settings = ExternalSettings
    answers_later = True

    def declare_actions(self) -> list[Action]:
        # Serial, or two replies would land in another order than they were sent.
        entry: dict[str, Any] = {"mode": Mode.BACKGROUND, "public": False, "serial": True}
        return [
            Action(
                name="onMailboxPost",
                input=PostDelivery,
                run=tell_post,
                description="A post of a mailbox that the seat is a member of.",
                **entry,
            ),
            Action(
                name="onWorkerMessage",
                input=MessageDelivery,
                run=tell_message,
                description="A message of another worker.",
                **entry,
            ),
            Action(
                name=HEAR_READY,
                input=TaskReady,
                run=tell_row,
                description="A row of a board that is ready for the seat.",
                **entry,
            ),
            Action(
                name=HEAR_DELEGATED,
                input=DelegatedPost,
                run=tell_delegated,
                description="A post that a coordinator hands to the seat.",
                **entry,
            ),
            Action(
                name=WORK,
                input=TaskDelivery,
                work=take_task,
                run=tell_task,
                description="A row of a conversation's own board, which is held until the agent replies.",
                **entry,
            ),
            Action(
                name=CARRY,
                input=ReplyInput,
                run=carry_reply,
                description="The agent's reply to one of these.",
                **entry,
            ),
        ]
