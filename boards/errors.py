"""What a board refuses. Codes that tools answer too are snake_case. See docs/boards.md."""

from __future__ import annotations

from collections.abc import Iterable

from boards.transitions import Status, Verb, is_assignable, is_ending, verbs_from
from workforce.errors import DomainError, NotFound


class NoBoard(NotFound):
    """There is no such board."""

    code = "no_board"


class TaskNotFound(NotFound):
    """The board has no row with this id."""

    code = "task_not_found"

    @classmethod
    def of(cls, board_id: str, task_id: str) -> TaskNotFound:
        return cls(f"the board '{board_id}' has no row '{task_id[:100]}'")


class UnknownAssignee(DomainError):
    """No worker of the board has this key."""

    code = "unknown_assignee"
    status = 422

    @classmethod
    def of(cls, assignee: str, known: Iterable[str], meant: Iterable[str] = ()) -> UnknownAssignee:
        """``meant`` are the keys that an ambiguous short name could stand for."""
        ambiguous = " or ".join(f"'{key}'" for key in sorted(meant))
        what = f"is ambiguous, it could be {ambiguous}" if ambiguous else "is no worker of this board"
        return cls(
            f"'{assignee}' {what}; the board's workers: {', '.join(sorted(known))} (exact case). "
            "Name one of them, or leave the assignee unset"
        )


class UnknownDependency(DomainError):
    """A dependency is not on this board."""

    code = "unknown_dependency"
    status = 422


class DependencyRing(DomainError):
    """The dependencies lead back to the row itself."""

    code = "dependency_ring"
    status = 422


class UnfinishedDependencies(DomainError):
    """The row waits for others that are not completed."""

    code = "unfinished_dependencies"
    status = 409


class IllegalStatusTransition(DomainError):
    """The row's status does not admit this."""

    code = "illegal_status_transition"
    status = 409

    @classmethod
    def of(cls, task_id: str, status: Status, verb: Verb) -> IllegalStatusTransition:
        """Names the present status and the calls that would work now."""
        if is_ending(status):
            return cls(
                f"'{task_id}' is {status}, which is final: '{verb}' does not work any more; file a new row instead. "
                "What works now: update"
            )
        works = [*map(str, verbs_from(status)), *(["assign"] if is_assignable(status) else []), "update"]
        started = ", and has not been started" if status is Status.PENDING else ""
        return cls(
            f"'{task_id}' is {status}{started}: '{verb}' does not work. What works now: {', '.join(works)}"
        )


class TerminalTaskWriteDeclined(DomainError):
    """The row has ended and stays as it is."""

    code = "terminal_task_write_declined"
    status = 409


class TaskWriteDeclined(DomainError):
    """Somebody holds the row."""

    code = "task_write_declined"
    status = 409


class LostClaim(DomainError):
    """The ticket no longer holds the row; claim again."""

    code = "lost-claim"
    status = 409


class AlreadyRetried(DomainError):
    """The ended row was filed again before, and that row has ended too."""

    code = "already-retried"
    status = 409
