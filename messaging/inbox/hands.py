"""Who does something in an inbox."""

from __future__ import annotations

from dataclasses import dataclass

from messaging.inbox.models import Inbox, Participation
from workforce.models import Actor


@dataclass(frozen=True, slots=True)
class Hand:
    """An actor at work in an inbox, with the key it called with.

    ``participation`` is None for the reserved sender ``workforce``, which takes no part in any inbox.
    """

    inbox: Inbox
    actor: Actor
    participation: Participation | None = None
    key_prefix: str = ""

    @property
    def place(self) -> Participation:
        """The participation of an actor that has one."""
        assert self.participation is not None, "the reserved sender has no queue"
        return self.participation
