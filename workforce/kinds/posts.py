"""What a seat is handed when a mailbox post wakes it."""

from __future__ import annotations

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from workforce.kinds.base import ClosedModel


class PostDelivery(ClosedModel):
    """One post for one member: the input of a kind's internal entry ``onMailboxPost``."""

    model_config = ConfigDict(alias_generator=to_camel, serialize_by_alias=True)

    mailbox_id: str
    member: str
    post_id: str
    body: str
    principal: str
    author: str | None = None
    seat_authored: bool | None = None

    def line(self) -> str:
        """The post as the seat's conversation shows it."""
        return f"{self.author or self.principal} in {self.mailbox_id}: {self.body}"
