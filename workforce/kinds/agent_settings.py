"""The keys that a ``WORKER.md`` of a kind that takes turns may carry. See docs/tree.md."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from workforce.kinds.worker_settings import Names, WorkerSettings, check_no_repeats
from workforce.texts import is_blank


def _check_not_blank(value: str) -> str:
    if is_blank(value):
        raise PydanticCustomError("blank", "is blank; name a model or drop the key")
    return value


def _refuse_old_domain(value: object) -> object:
    if isinstance(value, list) and "channels" in value:
        raise PydanticCustomError("renamed", "names 'channels', which is called 'mailboxes' now")
    return value


class TurnSettings(WorkerSettings):
    """The settings of every worker that takes turns. Names (tools, boards, documents, delegates) are judged when the
    roster is bound.

    ``resources`` absent means every document that the seat may read; a list narrows that.
    """

    model: Annotated[str, AfterValidator(_check_not_blank)] | None = None
    tools: Names = Field(default_factory=list)
    board_tools: Names = Field(default_factory=list)
    delegates: Names = Field(default_factory=list, max_length=25)
    resources: Names | None = None
    discover: Annotated[
        list[Literal["mailboxes", "seats"]],
        BeforeValidator(_refuse_old_domain),
        AfterValidator(check_no_repeats),
    ] = Field(default_factory=list)


class AgentSettings(TurnSettings):
    """An agent's settings: it takes turns, and works the boards that it drains."""

    drains: Names = Field(default_factory=list)
    concurrency: int = Field(default=1, ge=1, le=100)
