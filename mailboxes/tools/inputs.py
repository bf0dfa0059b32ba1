"""What the mailbox tools take: closed, so that a model can set no author."""

from __future__ import annotations

from pydantic import Field

from boards.limits import Goal, Title
from workforce.kinds import ClosedModel
from workforce.texts import Body, Name


class PostToMailbox(ClosedModel):
    """A line for a mailbox."""

    mailbox: Name = Field(description="The id of the mailbox, for example support.help.")
    body: Body = Field(description="The text of the line, whole.")


class FileTask(ClosedModel):
    """A row for a board that a mailbox holds."""

    mailbox: Name = Field(description="The id of the mailbox that holds the board.")
    board: Name = Field(description="The name of the board in that mailbox, for example escalations.")
    goal: Goal = Field(description="What is to be done, whole.")
    title: Title | None = Field(default=None, description="A short name of it.")
