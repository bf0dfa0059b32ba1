"""What a coordinator's delegate is handed, and what it hands back. See docs/delegation.md."""

from __future__ import annotations

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from workforce.kinds.base import ClosedModel
from workforce.kinds.posts import SaidLine

#: The internal entry of a delegate, and the one of a coordinator that takes its answer.
HEAR, TAKE = "onDelegatedPost", "onDelegateAnswer"


class DelegatedPost(ClosedModel):
    """One post for one delegate: the input of a kind's internal entry ``onDelegatedPost``.

    ``recent`` are the last lines of the coordinator's conversation before it. In a further round ``answers`` are
    what the delegates answered in the round before.
    """

    model_config = ConfigDict(alias_generator=to_camel, serialize_by_alias=True)

    post_id: str
    #: What the answer hands back; it is taken once.
    token: str
    coordinator: str
    principal: str
    body: str
    round: int = 0
    recent: list[SaidLine] | None = None
    answers: list[SaidLine] | None = None

    def line(self) -> str:
        """The post as the delegate's conversation shows it."""
        return f"{self.principal}, through {self.coordinator}: {self.body}"


class DelegateAnswer(ClosedModel):
    """What a delegate hands back: a text, or why there is none."""

    token: str
    text: str = ""
    error: str = ""
