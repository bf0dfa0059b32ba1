"""What may become of a task row: the table of legal moves. Pure. See docs/boards.md."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum


class Status(StrEnum):
    """Where a row stands; the last three are endings."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    BLOCKED = "blocked"
    PARKED = "parked"
    COMPLETED = "completed"
    ERRORED = "errored"
    CANCELLED = "cancelled"


class Verb(StrEnum):
    """What can be done to a row that moves it."""

    CLAIM = "claim"
    RENEW = "renew"
    RELEASE = "release"
    COMPLETE = "complete"
    FAIL = "fail"
    PARK = "park"
    ANSWER = "answer"
    BLOCK = "block"
    UNBLOCK = "unblock"
    CANCEL = "cancel"
    RECLAIM = "reclaim"


ENDINGS = frozenset({Status.COMPLETED, Status.ERRORED, Status.CANCELLED})
#: A row that lapses with this many abandonments counted is given up: its fourth run was its last.
MAX_ABANDONMENTS = 3

_P, _I, _B, _K = Status.PENDING, Status.IN_PROGRESS, Status.BLOCKED, Status.PARKED
#: What has not ended.
OPEN = (_P, _I, _B, _K)

#: For each verb, the statuses it works from and where it leads. ``claim`` from ``in_progress`` is the recovery
#: of a lapsed lease; ``fail`` from ``in_progress`` leads to ``pending`` instead while attempts are left.
MOVES: Mapping[Verb, Mapping[Status, Status]] = {
    Verb.CLAIM: {_P: _I, _I: _I},
    Verb.RENEW: {_I: _I},
    Verb.RELEASE: {_I: _P},
    Verb.COMPLETE: {_I: Status.COMPLETED, _K: Status.COMPLETED},
    Verb.FAIL: {_I: Status.ERRORED, _K: Status.ERRORED},
    Verb.PARK: {_I: _K},
    Verb.ANSWER: {_K: _P},
    Verb.BLOCK: {_P: _B, _B: _B},
    Verb.UNBLOCK: {_B: _P},
    Verb.CANCEL: dict.fromkeys(OPEN, Status.CANCELLED),
    Verb.RECLAIM: {_I: _P},
}


def target_of(verb: Verb, status: Status) -> Status | None:
    """Where the verb leads from this status, or None when the move is illegal."""
    return MOVES[verb].get(status)


def verbs_from(status: Status) -> list[Verb]:
    """The verbs that can be called on a row of this status, in their fixed order.

    The recovery of a lapsed row is not among them: the next claim of the board does it, and only when it is due.
    """
    return [
        verb for verb in Verb if status in MOVES[verb] and (verb, status) != (Verb.CLAIM, Status.IN_PROGRESS)
    ]


def is_assignable(status: Status) -> bool:
    """Whether the row may be routed to another worker: it has not ended, and nobody holds it."""
    return status not in ENDINGS and status is not Status.IN_PROGRESS


def is_ending(status: Status) -> bool:
    """Whether nothing moves the row any more."""
    return status in ENDINGS


def is_retried(*, attempts: int, abandonments: int, max_attempts: int | None) -> bool:
    """Whether a failed run goes back to pending: attempts are left. Abandoned runs spend none."""
    return max_attempts is not None and attempts - abandonments < max_attempts


def is_given_up(*, abandonments: int) -> bool:
    """Whether a row whose lease lapsed is settled as errored instead of being claimed again."""
    return abandonments >= MAX_ABANDONMENTS
