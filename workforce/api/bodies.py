"""The bodies of the calls: closed models, for the views and for the OpenAPI document."""

from __future__ import annotations

import uuid
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from workforce.kinds import ClosedModel
from workforce.texts import LongText, Name, SessionId, Text, Title


def _uuid_text(value: Any) -> Any:
    if isinstance(value, str) and len(value) == 36:
        try:
            return uuid.UUID(value)
        except ValueError:
            pass
    raise ValueError("must be a UUID, as 8-4-4-4-12 hexadecimal digits")


RequestId = Annotated[uuid.UUID, BeforeValidator(_uuid_text)]
Tags = Annotated[list[Name], Field(max_length=50)]


class ActionBody(ClosedModel):
    """The envelope of an action call."""

    input: Any = Field(default_factory=dict, description="The action's own input.")
    request_id: RequestId | None = Field(
        default=None, alias="requestId", description="An id of your own choice."
    )
    metadata: dict[str, Any] = Field(default_factory=dict, description="Kept with the request, unchanged.")


class FreeActionBody(ActionBody):
    """The envelope of an action call that names its session in the body, or lets one be minted."""

    session_id: SessionId | None = Field(default=None, alias="sessionId")


class NewSession(ClosedModel):
    """A session to make."""

    flow_kind: Name = Field(alias="flowKind")
    session_id: SessionId | None = Field(default=None, alias="sessionId")
    title: Title = ""
    description: LongText = ""
    tags: Tags = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)


class SessionChanges(ClosedModel):
    """What to change; only what is there changes."""

    title: Title = ""
    description: LongText = ""
    tags: Tags = Field(default_factory=list)
    metadata: dict[str, Any] = Field(default_factory=dict)


class WorkerFork(ClosedModel):
    """A worker of one's own, copied from one that is there."""

    origin: Text = Field(alias="from", description="The id of the worker to copy.")
    id: Text = Field(description="The id of the copy.")


class WorkerChanges(ClosedModel):
    """What to change; only what is there changes. Settings are replaced as a whole."""

    flow: Text | None = Field(default=None, description="The kind.")
    description: Text | None = Field(default=None, description="What the worker is for; others read it.")
    instructions: Text | None = Field(default=None, description="What the worker itself is told.")
    settings: dict[str, Any] | None = Field(
        default=None, description="The keys of the kind, as in a WORKER.md; closed."
    )


class NewWorker(WorkerChanges):
    """A worker of one's own."""

    id: Text = Field(description="One path segment, not starting with '~'.")
    flow: Text | None = Field(default=None, description="The kind; `agent` when absent.")
