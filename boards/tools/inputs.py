"""What each tool takes: closed, and the same as an action, a model's tool and over MCP."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from boards.limits import (
    Context,
    Deps,
    Goal,
    Label,
    Labels,
    MaxAttempts,
    Metadata,
    Priority,
    Reason,
    TaskId,
    Title,
    Value,
    Words,
    WorkerKey,
)
from boards.services.filing import NewTask
from workforce.kinds import ClosedModel
from workforce.texts import Name


class ToolInput(ClosedModel):
    model_config = ConfigDict(alias_generator=to_camel)


class Filing(ToolInput):
    """A row to file, with everything that a caller may say of it."""

    goal: Goal = Field(description="What is to be done, whole.")
    title: Title | None = Field(default=None, description="A short name of it.")
    context: Context | None = Field(default=None, description="What helps to do it.")
    assignee: WorkerKey | None = Field(default=None, description="A worker key of the board.")
    priority: Priority | None = Field(default=None, description="Higher goes first; none counts as 0.")
    max_attempts: MaxAttempts | None = Field(
        default=None, description="How often it may be run; none is once."
    )
    labels: Labels = Field(default_factory=list)
    deps: Deps = Field(default_factory=list, description="Ids of rows that must be completed first.")
    input: Value = Field(default=None, description="What the worker needs, as JSON.")
    author: Name | None = Field(default=None, description="A member in whose name it is filed; only a label.")

    def new_task(self) -> NewTask:
        """The row as the service takes it."""
        return NewTask(
            goal=self.goal,
            title=self.title or "",
            context=self.context or "",
            assignee=self.assignee or "",
            priority=self.priority,
            max_attempts=self.max_attempts,
            labels=tuple(self.labels),
            deps=tuple(self.deps),
            input=self.input,
            author=self.author or "",
        )


class AddTask(ToolInput):
    """File a row."""

    goal: Goal = Field(description="What is to be done, whole.")
    assignee: WorkerKey | None = Field(default=None, description="A worker key of the board.")
    deps: Deps = Field(default_factory=list, description="Ids of rows that must be completed first.")
    priority: Priority | None = Field(default=None, description="Higher goes first; none counts as 0.")
    input: Value = Field(default=None, description="What the worker needs, as JSON.")
    metadata: Metadata = Field(default_factory=dict)


class AssignTask(ToolInput):
    """Route a row to a worker key."""

    task_id: TaskId
    assignee: WorkerKey


class TaskPatch(ToolInput):
    """What to change; what is not there stays."""

    priority: Priority | None = None
    metadata: Metadata = Field(default_factory=dict)
    assignee: WorkerKey = ""
    add_label: Label = ""
    remove_label: Label = ""


class UpdateTask(ToolInput):
    """Change priority, labels, metadata or assignee of a row."""

    task_id: TaskId
    patch: TaskPatch


class ListTasks(ToolInput):
    """The rows of the board, newest first."""

    status: (
        Literal["pending", "in_progress", "blocked", "parked", "completed", "errored", "cancelled"] | None
    ) = None
    assignee: WorkerKey | None = None
    limit: int = Field(default=50, ge=1, le=200)
    cursor: str | None = Field(default=None, max_length=500)


class CompleteTask(ToolInput):
    """End a row with its output."""

    task_id: TaskId
    output: Value


class FailTask(ToolInput):
    """End an attempt with what went wrong."""

    task_id: TaskId
    error: Words


class BlockTask(ToolInput):
    """Hold a pending row back."""

    task_id: TaskId
    reason: Reason = ""


class CancelTask(ToolInput):
    """End a row without a result."""

    task_id: TaskId
    reason: Reason = ""


INPUTS: dict[str, type[Any]] = {
    "addTask": AddTask,
    "assignTask": AssignTask,
    "updateTask": UpdateTask,
    "listTasks": ListTasks,
    "completeTask": CompleteTask,
    "failTask": FailTask,
    "blockTask": BlockTask,
    "cancelTask": CancelTask,
}
