"""A transcript line as it leaves the server. See docs/mailboxes.md."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

#: Epoch milliseconds.
Moment = Annotated[int, Field(ge=0, description="Epoch milliseconds.")]
Uuid = Annotated[str, Field(json_schema_extra={"format": "uuid"})]


class Line(TypedDict):
    """One line of a mailbox."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]

    id: Annotated[Uuid, Field(description="The line's id, the `postId` elsewhere.")]
    seq: Annotated[int, Field(ge=1, description="Its number in the mailbox: 1, 2, 3 …")]
    at: Moment
    principal: Annotated[str, Field(description="The user who wrote it; set by the server.")]
    author: NotRequired[
        Annotated[str, Field(description="The member the writer named; a label, not a proof.")]
    ]
    authorVerified: Annotated[Literal[False], Field(description="Always false.")]
    seatAuthored: NotRequired[Annotated[Literal[True], Field(description="There on a seat's line only.")]]
    body: str
    passname: NotRequired[
        Annotated[str, Field(description="Whose key wrote it, when it was a key: this is proof.")]
    ]
