"""The columns of a board's page: where a status is shown, and where a move leads."""

from __future__ import annotations

from dataclasses import dataclass

from boards.transitions import Status


@dataclass(frozen=True, slots=True)
class Column:
    """A column; ``name`` is its word in addresses."""

    name: str
    title: str
    statuses: tuple[Status, ...]
    nothing: str


COLUMNS = (
    Column("queued", "Queued", (Status.PENDING,), "Nothing waits."),
    Column("running", "Running", (Status.IN_PROGRESS,), "Nobody holds a row."),
    Column("needs", "Needs you", (Status.PARKED, Status.BLOCKED), "Nothing waits for a person."),
    Column("done", "Done", (Status.COMPLETED, Status.CANCELLED), "Nothing has ended yet."),
    Column("failed", "Failed", (Status.ERRORED,), "Nothing failed."),
)
_BY_NAME = {column.name: column for column in COLUMNS}
_BY_STATUS = {status: column for column in COLUMNS for status in column.statuses}

#: The colour of a row's status, for unfold's labels.
STATUS_COLOURS: dict[str, str] = {
    Status.PENDING: "info",
    Status.IN_PROGRESS: "primary",
    Status.PARKED: "warning",
    Status.BLOCKED: "warning",
    Status.COMPLETED: "success",
    Status.CANCELLED: "",
    Status.ERRORED: "danger",
}
STATUS_WORDS: dict[str, str] = {status: status.replace("_", " ") for status in Status}


def column_of(status: str) -> Column:
    """The column that shows rows of this status."""
    return _BY_STATUS[Status(status)]


def column_named(name: str) -> Column | None:
    """The column of this name, or None."""
    return _BY_NAME.get(name)
