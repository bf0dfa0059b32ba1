"""The mailbox kind: one address, one conversation, any number of writers. See docs/mailboxes.md."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, ClassVar, NotRequired

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

from mailboxes.boardactions import BOARD_ACTIONS, find_board_tool, is_reading_tool, offers_boards
from mailboxes.errors import MailboxStaysOpen
from mailboxes.seatentries import SEAT_ENTRIES
from mailboxes.services.fanning import Prepared, finish_fan_out, prepare_fan_out
from mailboxes.services.posting import FAN_OUT, post_line
from mailboxes.services.reading import read_mailbox
from mailboxes.state import is_mailbox_state
from workforce.kinds import Action, Call, ClosedModel, Kind, Mode, Work
from workforce.kinds.lines import Line
from workforce.models import Session
from workforce.selectors.lines import line_of
from workforce.texts import Body, Name


class PostInput(ClosedModel):
    """A line to write."""

    body: Body = Field(description="The text of the line, 1 to 65,536 characters.")
    author: Name | None = Field(default=None, description="A member in whose name the line is; only a label.")


class ReadInput(ClosedModel):
    """Nothing is needed to read."""

    after: int | None = Field(
        default=None, ge=0, le=2**53, description="Taken for rooms; ignored on a mailbox."
    )


class MailboxOutput(TypedDict):
    """A mailbox as a model is shown it; the charter is not part of it."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]

    id: str
    description: NotRequired[str]
    members: list[str]
    boards: NotRequired[Annotated[list[str], Field(description="Absent when it holds none.")]]
    transcript: Annotated[list[Line], Field(description="The lines of the history window, oldest first.")]


class LineDelivery(ClosedModel):
    """A line that its members are to be told of."""

    model_config = ConfigDict(alias_generator=to_camel, serialize_by_alias=True)

    post_id: str
    body: str
    principal: str
    author: str | None = None
    seat_authored: bool | None = None


def post(call: Call) -> dict[str, Any]:
    """A client's line, or one dispatched by another flow: never a seat's, whatever the input says."""
    return line_of(post_line(call=call, body=call.input.body, author=call.input.author))


def read(call: Call) -> dict[str, Any]:
    return read_mailbox(session=call.session)


def prepare_on_posted(work: Work) -> Prepared:
    return prepare_fan_out(work, _delivered(work.input))


def on_posted(call: Call) -> list[dict[str, Any]]:
    return finish_fan_out(call=call, line=_delivered(call.input), prepared=call.worked)


def _delivered(line: LineDelivery) -> dict[str, Any]:
    return line.model_dump(mode="json", exclude_none=True)


class BaseMailboxKind(Kind):
    """What every mailbox kind has in common: it is opened with members and a charter.

    A deployment's own kind subclasses this, declares its actions, keeps its lines with ``keep_line`` and is
    named in the setting ``MAILBOX_KINDS``. It holds no boards and does not route.
    """

    built_in: ClassVar[bool] = False
    routes: ClassVar[bool] = False

    def check_changes(self, session: Session, changes: Collection[str]) -> None:
        if "description" in changes and is_mailbox_state(session.state):
            raise MailboxStaysOpen(
                f"the mailbox '{session.address}' keeps the description it was opened with; leave it out"
            )

    def check_deletable(self, session: Session) -> None:
        if is_mailbox_state(session.state):
            raise MailboxStaysOpen(
                f"the mailbox '{session.address}' is open and stays; drop its folder from the tree to retire its boards"
            )


class MailboxKind(BaseMailboxKind):
    """The built-in mailbox."""

    name = "mailbox"
    description = "One address, one conversation, any number of writers."
    built_in = True
    routes = True
    speaks = ("post", "body")

    def find_action(self, session: Session, name: str) -> Action | None:
        """What stands on boards is there where the mailbox holds some; their tools are declared nowhere else."""
        if name in BOARD_ACTIONS:
            return self.actions[name] if offers_boards(session) else None
        return super().find_action(session, name) or find_board_tool(session, name)

    def only_reads(self, name: str) -> bool:
        return super().only_reads(name) or is_reading_tool(name)

    def declare_actions(self) -> list[Action]:
        return [
            Action(
                name="post",
                input=PostInput,
                run=post,
                serial=True,
                output=Line,
                description="Write a line to the mailbox.",
            ),
            Action(
                name="read",
                input=ReadInput,
                run=read,
                reads=True,
                output=MailboxOutput,
                description="Its members, boards and latest lines.",
            ),
            *BOARD_ACTIONS.values(),
            *SEAT_ENTRIES,
            Action(
                name=FAN_OUT,
                input=LineDelivery,
                work=prepare_on_posted,
                run=on_posted,
                mode=Mode.BACKGROUND,
                public=False,
                serial=True,  # or seats would hear two lines in another order than they were posted
                description="Tell the members of a line.",
            ),
        ]
