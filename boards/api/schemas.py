"""What the calls of boards answer: closed, in the order in which it is written."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from boards.models import Task
from workforce.api.schemas.answers import CLOSED, Anything, Count, Cursor
from workforce.kinds.lines import Moment

TaskStatus = Annotated[str, Field(json_schema_extra={"enum": list(Task.Status)})]
Revision = Annotated[int, Field(ge=1, description="Rises with every change; also the `ETag`.")]


class BoardAnswer(TypedDict):
    """A board, with how many rows stand where."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: str
    mailboxId: str
    name: str
    live: Annotated[bool, Field(description="Whether a file holds it today; one that left keeps its rows.")]
    attended: Annotated[bool, Field(description="Whether a hired worker that takes tasks drains it.")]
    counts: Annotated[dict[str, Count], Field(description="Rows by status.")]
    stuck: Annotated[int, Field(ge=0, description="Rows that wait for one that ended without a result.")]
    orphaned: Annotated[
        int, Field(ge=0, description="Open rows that are assigned to none of the board's workers.")
    ]
    oldestReadyAt: Annotated[
        Moment | None, Field(description="Since when the oldest ready row is there; null without one.")
    ]
    oldestHeldAt: Annotated[
        Moment | None, Field(description="Since when the longest held row is as it is; null without one.")
    ]


class BoardPage(TypedDict):
    """Boards by id."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[BoardAnswer]
    nextCursor: NotRequired[Cursor]


class RunAnswer(TypedDict):
    """Where an attempt is or was worked."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    sessionId: str
    requestId: str
    attempt: Count


class ListedTask(TypedDict):
    """A row as lists show it; what is not set is absent."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    id: str
    title: NotRequired[str]
    goal: str
    status: TaskStatus
    assignee: NotRequired[Annotated[str, Field(description="A worker key: who it is for, not who holds it.")]]
    run: NotRequired[RunAnswer]
    priority: NotRequired[float]
    attempts: Count
    maxAttempts: NotRequired[int]
    deps: list[str]
    labels: list[str]
    error: NotRequired[Annotated[str, Field(description="What failed, or why it is blocked or cancelled.")]]
    createdAt: Moment
    updatedAt: Moment
    startedAt: NotRequired[Moment]
    completedAt: NotRequired[Annotated[Moment, Field(description="When it ended, however.")]]


class TaskAnswer(ListedTask):
    """A row in a list, or as the answer of a write."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    revision: Revision


class TaskPage(TypedDict):
    """Rows of a board."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    items: list[TaskAnswer]
    nextCursor: NotRequired[Cursor]


class WorkedTask(TaskAnswer):
    """A row with what its worker needs."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    context: NotRequired[str]
    input: NotRequired[Anything]
    output: NotRequired[Anything]
    feedback: NotRequired[
        Annotated[str, Field(description="What failed before, a park's question, or its answer.")]
    ]
    metadata: NotRequired[dict[str, Any]]
    author: NotRequired[str]
    authorVerified: NotRequired[Literal[False]]


class ClaimAnswer(TypedDict):
    """A row that was taken."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    task: WorkedTask
    ticket: Annotated[str, Field(description="Sent with everything that the holder does.")]


#: Written as a call because ``from`` is a word of the language.
EventAnswer = TypedDict(
    "EventAnswer",
    {
        "kind": str,
        "at": Moment,
        "principal": NotRequired[Annotated[str, Field(description="Whose user; absent when nobody did it.")]],
        "passname": NotRequired[str],
        "seat": NotRequired[str],
        "from": NotRequired[TaskStatus],
        "to": TaskStatus,
        "changes": NotRequired[
            Annotated[dict[str, Any], Field(description="What changed beside the status.")]
        ],
        "revision": Revision,
    },
)
EventAnswer.__doc__ = "One line of a row's history."
EventAnswer.__pydantic_config__ = CLOSED  # type: ignore[attr-defined]


class TaskDetail(WorkedTask):
    """A row with who holds it and its history."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    abandonments: Annotated[int, Field(ge=0, description="How often a holder stopped renewing.")]
    createdBy: NotRequired[str]
    heldBy: NotRequired[Annotated[str, Field(description="Who holds it, by the name it gave.")]]
    leaseUntil: NotRequired[Moment]
    retryOf: NotRequired[Annotated[str, Field(description="The ended row that this one repeats.")]]
    events: Annotated[list[EventAnswer], Field(description="Oldest first.")]
