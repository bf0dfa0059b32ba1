"""What a seat is handed when a mailbox post wakes it."""

from __future__ import annotations

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

from workforce.kinds.base import ClosedModel

#: A line as an evaluator and a routed member are shown it: who wrote it (author, else principal), and what.
SaidLine = TypedDict("SaidLine", {"from": str, "text": str})


class PostDelivery(ClosedModel):
    """One post for one member: the input of a kind's internal entry ``onMailboxPost``.

    ``routed`` is there when the mailbox routed the post to this member, whose answer then lands in the mailbox;
    ``recent`` are the last twenty lines before a routed post. ``answer_token`` is what an answer hands back where
    several seats may answer one post.
    """

    model_config = ConfigDict(alias_generator=to_camel, serialize_by_alias=True)

    mailbox_id: str
    member: str
    post_id: str
    body: str
    principal: str
    author: str | None = None
    seat_authored: bool | None = None
    routed: bool | None = None
    recent: list[SaidLine] | None = None
    answer_token: str | None = None

    def line(self) -> str:
        """The post as the seat's conversation shows it."""
        return f"{self.author or self.principal} in {self.mailbox_id}: {self.body}"
