"""The bodies of an inbox's calls."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic.alias_generators import to_camel

from messaging.inbox.api.paths import message_id
from messaging.inbox.receipts import Act
from messaging.inbox.services.moving import NOTE
from messaging.inbox.services.opening import LONGEST_WINDOW
from messaging.inbox.services.sending import Letter
from workforce.kinds import ClosedModel
from workforce.names import MAX_NAME_LENGTH, check_name
from workforce.services.keys import MAX_EXPIRES_DAYS
from workforce.texts import Title, check_text

MOST_RECIPIENTS = 10_000
BULK = 200


def _check_topic(value: str) -> str:
    fault = check_name("topic", value)
    if fault is not None:
        raise ValueError(fault)
    return value


TypeWord = Literal["request", "info", "message"]
Topic = Annotated[
    str,
    StringConstraints(max_length=MAX_NAME_LENGTH),
    AfterValidator(_check_topic),
    Field(description="The lane: lowercase letters, digits and single hyphens."),
]
Passname = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(check_text)]
Id = Annotated[str, StringConstraints(max_length=200), Field(description="A message's id.")]
Note = Annotated[str, StringConstraints(max_length=NOTE), AfterValidator(check_text)]


class InboxInput(ClosedModel):
    """The base: closed, with the names on the wire in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel)


class NewMessage(InboxInput):
    """A message to send."""

    type: TypeWord = Field(description="What is expected; a promise, not a permission.")
    topic: Topic | None = Field(default=None, description="The lane; a reply without one takes its parent's.")
    payload: Any = Field(description="Any JSON; kept and returned unchanged.")
    replying_to: Id | None = Field(default=None, description="The message that this answers.")
    to: list[Passname] | None = Field(
        default=None,
        max_length=MOST_RECIPIENTS,
        description="Passnames; every other active participant when absent.",
    )
    approval: bool = Field(default=False, description="Of a request: only a person can complete it.")
    allow_duplicate: bool = Field(default=False, description="Send it, though it was just sent.")
    allow_secret: bool = Field(default=False, description="Send it, though it looks like a secret.")

    @model_validator(mode="after")
    def _check_approval(self) -> NewMessage:
        if self.approval and self.type != "request":
            raise ValueError(
                "approval is asked for by a request; set type to 'request' or leave approval out"
            )
        return self

    def letter(self) -> Letter:
        """The message as the service takes it. Raises NotFound for a ``replyingTo`` that is no id."""
        return Letter(
            type=self.type,
            payload=self.payload,
            topic=self.topic,
            replying_to=message_id(self.replying_to) if self.replying_to is not None else None,
            to=self.to,
            approval=self.approval,
            allow_duplicate=self.allow_duplicate,
            allow_secret=self.allow_secret,
        )


class PullInput(InboxInput):
    """Which of the open items."""

    limit: int = Field(default=20, ge=1, le=100)
    cursor: str | None = Field(default=None, description="The `nextCursor` of the page before.")
    type: TypeWord | None = None
    topic: Topic | None = None
    sender: Passname | None = None
    order: Literal["oldest", "newest"] = "oldest"
    budget_chars: int | None = Field(
        default=None, ge=500, le=10_000_000, description="How long the whole answer may be."
    )


class MoveInput(InboxInput):
    """What is said of it, if anything."""

    note: Note = ""
    reply_id: Id | None = Field(default=None, description="The message that says how it was dealt with.")


class BulkInput(InboxInput):
    """One act on many messages."""

    action: Literal["acknowledge", "complete", "archive"]
    ids: list[Id] = Field(min_length=1, max_length=BULK)

    @property
    def act(self) -> Act:
        """The act as the service takes it."""
        return Act(self.action)


class NewInbox(InboxInput):
    """An inbox to make."""

    slug: Passname
    duplicate_window: int | None = Field(default=None, ge=0, le=LONGEST_WINDOW)


class InboxChanges(InboxInput):
    """What to change; the setting's window again with null."""

    duplicate_window: int | None = Field(ge=0, le=LONGEST_WINDOW)


class NewParticipant(InboxInput):
    """An actor that is to take part."""

    passname: Passname


class HandOver(InboxInput):
    """Who owes what somebody else is to owe."""

    owed_by: Passname = Field(description="An actor that was retired, or has left.")
    to: Passname = Field(description="A participant.")


class NewSchema(InboxInput):
    """A JSON Schema (2020-12) for the payloads of a type and topic."""

    type: TypeWord
    topic: Topic
    schema_: Any = Field(alias="schema")


class NewActor(InboxInput):
    """An actor with its first key."""

    passname: Passname
    user: Passname | None = Field(default=None, description="Whose actor it is; the caller when absent.")
    kind: Literal["agent", "person"] = "agent"
    display_name: Title = ""
    grants: list[Passname] = Field(default_factory=list, max_length=50)
    inbox: Passname | None = Field(default=None, description="It joins this inbox.")
    scope: Literal["read", "write"] = Field(default="read", description="What its key may do in inboxes.")
    expires_days: int | None = Field(default=None, ge=1, le=MAX_EXPIRES_DAYS)
