"""The bodies of a board's calls."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from boards.limits import Labels, Reason, Value, Words, WorkerKey
from boards.services.claiming import DEFAULT_LEASE, LONGEST_LEASE, SHORTEST_LEASE
from boards.tools.inputs import TaskPatch, ToolInput

Ticket = Annotated[str, Field(min_length=1, max_length=500, description="Proof of the claim.")]
LeaseSeconds = Annotated[int, Field(ge=SHORTEST_LEASE, le=LONGEST_LEASE)]


class ClaimInput(ToolInput):
    """Take the next ready row."""

    worker: WorkerKey = Field(description="Who takes it, as it is shown to others.")
    lease_seconds: LeaseSeconds = Field(
        default=DEFAULT_LEASE, description="Outside its bounds it is refused."
    )
    assignee: WorkerKey | None = Field(default=None, description="Only rows assigned to this key.")
    labels: Labels = Field(default_factory=list, description="Only rows with all of these labels.")


class Held(ToolInput):
    """A call of the holder with its ticket, or of somebody who settles a row without one."""

    ticket: Ticket | None = None


class CompleteInput(Held):
    """End the row with its output."""

    output: Value = Field(description="The result, any JSON.")


class FailInput(Held):
    """End the attempt with what went wrong."""

    error: Words


class ReleaseInput(ToolInput):
    """Put a held row back."""

    ticket: Ticket


class ParkInput(ToolInput):
    """Set a held row aside with a question."""

    ticket: Ticket
    question: Words


class RenewInput(ToolInput):
    """Move the lease of a held row."""

    ticket: Ticket
    lease_seconds: LeaseSeconds | None = Field(
        default=None, description="From now; as long as before when absent."
    )


class AnswerInput(ToolInput):
    """Answer a parked row."""

    answer: Words


class ReasonInput(ToolInput):
    """With a reason, if there is one."""

    reason: Reason = ""


class AssignInput(ToolInput):
    """Route the row to a worker key."""

    assignee: WorkerKey


class UpdateInput(ToolInput):
    """Change what the row says."""

    patch: TaskPatch
