"""The internal entries by which seats write to a mailbox. See docs/routing.md, "Answers"."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from mailboxes.services.answering import post_answer
from mailboxes.services.posting import post_line
from workforce.kinds import Action, Call, ClosedModel, Mode
from workforce.kinds.lines import Line
from workforce.selectors.lines import line_of
from workforce.texts import Body, Name


class SeatPostInput(ClosedModel):
    """A seat's line; the author is the seat's id, set by whoever hands it over, never by the model."""

    body: Body
    author: Name


class AnswerInput(SeatPostInput):
    """A seat's line that answers a post."""

    model_config = ConfigDict(alias_generator=to_camel)

    # Read leniently: JSON has no type for it.
    post_id: Annotated[UUID, Field(strict=False)]


def seat_post(call: Call) -> dict[str, Any]:
    return line_of(post_line(call=call, body=call.input.body, author=call.input.author, seat_authored=True))


def answer(call: Call) -> dict[str, Any]:
    value: AnswerInput = call.input
    return line_of(post_answer(call=call, post_id=value.post_id, body=value.body, author=value.author))


#: Serial, or two lines of one seat would land in another order than they were handed over.
SEAT_ENTRIES = (
    Action(
        name="seatPost",
        input=SeatPostInput,
        run=seat_post,
        mode=Mode.BACKGROUND,
        public=False,
        serial=True,
        output=Line,
        description="A line that a seat writes.",
    ),
    Action(
        name="answer",
        input=AnswerInput,
        run=answer,
        mode=Mode.BACKGROUND,
        public=False,
        serial=True,
        output=Line,
        description="The line that answers a post; the first that lands is the one.",
    ),
)
