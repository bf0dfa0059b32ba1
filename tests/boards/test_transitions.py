"""The table of legal moves, cell by cell."""

from __future__ import annotations

import pytest

from boards.transitions import (
    ENDINGS,
    MAX_ABANDONMENTS,
    Status,
    Verb,
    is_assignable,
    is_ending,
    is_given_up,
    is_retried,
    target_of,
    verbs_from,
)

P, H, B, K = Status.PENDING, Status.IN_PROGRESS, Status.BLOCKED, Status.PARKED
C, E, X = Status.COMPLETED, Status.ERRORED, Status.CANCELLED

#: Where each verb leads from each status; every cell that is not here is illegal.
LEGAL = {
    (P, Verb.CLAIM): H,
    (P, Verb.BLOCK): B,
    (P, Verb.CANCEL): X,
    (H, Verb.CLAIM): H,
    (H, Verb.RENEW): H,
    (H, Verb.RELEASE): P,
    (H, Verb.RECLAIM): P,
    (H, Verb.PARK): K,
    (H, Verb.COMPLETE): C,
    (H, Verb.FAIL): E,
    (H, Verb.CANCEL): X,
    (B, Verb.BLOCK): B,
    (B, Verb.UNBLOCK): P,
    (B, Verb.CANCEL): X,
    (K, Verb.ANSWER): P,
    (K, Verb.COMPLETE): C,
    (K, Verb.FAIL): E,
    (K, Verb.CANCEL): X,
}


@pytest.mark.parametrize("verb", Verb)
@pytest.mark.parametrize("status", Status)
def test_target_of__each_cell(status: Status, verb: Verb) -> None:
    assert target_of(verb, status) == LEGAL.get((status, verb))


@pytest.mark.parametrize("status", Status)
def test_verbs_from__what_can_be_called(status: Status) -> None:
    callable_verbs = {verb for at, verb in LEGAL if at is status} - ({Verb.CLAIM} if status is H else set())
    assert set(verbs_from(status)) == callable_verbs
    assert bool(verbs_from(status)) != is_ending(status)


def test_endings__are_the_three() -> None:
    assert {C, E, X} == ENDINGS
    assert [status for status in Status if is_ending(status)] == [C, E, X]


@pytest.mark.parametrize("status", Status)
def test_is_assignable__neither_held_nor_ended(status: Status) -> None:
    assert is_assignable(status) == (status in (P, B, K))


@pytest.mark.parametrize(
    ("attempts", "abandonments", "allowed", "again"),
    [
        (1, 0, None, False),
        (1, 0, 1, False),
        (1, 0, 2, True),
        (2, 0, 2, False),
        (2, 1, 2, True),
        (3, 1, 2, False),
        (3, 0, 4, True),
    ],
)
def test_is_retried__while_runs_are_left(
    attempts: int, abandonments: int, allowed: int | None, again: bool
) -> None:
    assert is_retried(attempts=attempts, abandonments=abandonments, max_attempts=allowed) is again


def test_is_given_up__at_the_fourth_run() -> None:
    assert [is_given_up(abandonments=number) for number in range(5)] == [False, False, False, True, True]
    assert MAX_ABANDONMENTS == 3
