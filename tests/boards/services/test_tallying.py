"""What has ended is counted once: the figures stay right before, between and after tallies."""

from __future__ import annotations

from boards.models import Board, Tally, Task
from boards.selectors.figures import board_figures
from boards.services import tallying
from boards.services.tallying import tally_ended
from boards.transitions import Status
from tests.boards.ledgers import Ledger, Moment, make_board
from workforce.models import Organization

HOUR = 3600


def counts(ledger: Ledger) -> dict[str, int]:
    """The counts that are not zero; they must be the rows'."""
    figures = board_figures([ledger.board])[ledger.board.pk]["counts"]
    rows = {status: Task.objects.filter(board=ledger.board, status=status).count() for status in Status}
    assert figures == {str(status): number for status, number in rows.items()}
    return {status: number for status, number in figures.items() if number}


def end_some(ledger: Ledger) -> None:
    for status in (Status.COMPLETED, Status.COMPLETED, Status.ERRORED, Status.CANCELLED):
        ledger.row_in(status)


def test_figures__are_right_at_every_moment(ledger: Ledger, moment: Moment) -> None:
    Board.objects.update(created_at=moment.now)
    assert counts(ledger) == {}
    for hours in (1, 2, 3, 24):
        end_some(ledger)
        before = counts(ledger)
        tally_ended()
        assert counts(ledger) == before
        moment.go(hours * HOUR)
        tally_ended()
        assert counts(ledger) == before
    ledger.row_in(Status.PARKED)
    assert counts(ledger) == {"completed": 8, "errored": 4, "cancelled": 4, "parked": 1}
    tally = Tally.objects.get()
    assert (tally.completed, tally.errored, tally.cancelled) == (8, 4, 4)


def test_tally__what_ended_within_the_hour_is_left_for_later(ledger: Ledger, moment: Moment) -> None:
    Board.objects.update(created_at=moment.now)
    moment.go(2 * HOUR)
    ledger.row_in(Status.COMPLETED)
    assert tally_ended() == 1
    assert Tally.objects.get().completed == 0
    moment.go(HOUR / 2)
    assert tally_ended() == 0
    moment.go(2 * HOUR)
    assert tally_ended() == 1
    assert Tally.objects.get().completed == 1
    assert tally_ended() == 0


def test_tally__a_board_at_a_time_the_oldest_first(
    organization: Organization, ledger: Ledger, moment: Moment, monkeypatch: object
) -> None:
    others = [Ledger(make_board(organization, f"a.b.c{number}")) for number in range(4)]
    Board.objects.update(created_at=moment.now)
    for one in (ledger, *others):
        one.row_in(Status.COMPLETED)
    moment.go(3 * HOUR)
    monkeypatch.setattr(tallying, "BATCH", 2)  # type: ignore[attr-defined]
    assert [tally_ended() for _ in range(4)] == [2, 2, 1, 0]
    assert list(Tally.objects.values_list("completed", flat=True)) == [1] * 5
    assert [counts(one) for one in (ledger, *others)] == [{"completed": 1}] * 5


def test_figures__of_boards_with_tallies_of_other_times(
    organization: Organization, ledger: Ledger, moment: Moment
) -> None:
    old, young = ledger, Ledger(make_board(organization, "a.b.young"))
    Board.objects.filter(pk=old.board.pk).update(created_at=moment.now)
    end_some(old)
    moment.go(3 * HOUR)
    Board.objects.filter(pk=young.board.pk).update(created_at=moment.now)
    tally_ended()
    for one in (old, young):
        end_some(one)
    figures = board_figures([old.board, young.board])
    assert [figures[one.board.pk]["counts"]["completed"] for one in (old, young)] == [4, 2]
    assert counts(old)["completed"] == 4


def test_figures__in_five_queries(ledger: Ledger, moment: Moment, django_assert_num_queries: object) -> None:
    end_some(ledger)
    board = Board.objects.get()
    with django_assert_num_queries(5):  # type: ignore[operator]
        board_figures([board])
    with django_assert_num_queries(0):  # type: ignore[operator]
        assert board_figures([]) == {}
