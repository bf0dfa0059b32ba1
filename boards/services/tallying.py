"""Counting what has ended once, so that the figures of a board need not. See docs/boards.md, "Costs"."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from boards.models import Board, Tally
from boards.selectors.figures import ended_between
from workforce import clock

#: Only what ended this long ago is tallied: no transaction and no clock is so late that it would still be missed.
SETTLED_AFTER = timedelta(hours=1)
#: A tally that is younger is left as it is.
EVERY = timedelta(hours=1)
BATCH = 500


def tally_ended() -> int:
    """Bring the tallies of boards up to an hour ago, the oldest first; returns how many were. Safe to run at once."""
    until = clock.now() - SETTLED_AFTER
    missing = Board.objects.filter(tally=None, created_at__lt=until).order_by("pk")
    old = Board.objects.filter(tally__until__lt=until - EVERY).order_by("tally__until")
    boards = [*missing[:BATCH], *old[:BATCH]]
    return sum(_tally(board, until) for board in boards)


def _tally(board: Board, until: datetime) -> bool:
    with transaction.atomic():
        Tally.objects.bulk_create([Tally(board=board, until=clock.EPOCH)], ignore_conflicts=True)
        tally = Tally.objects.select_for_update().get(board=board)
        if tally.until > until - EVERY:
            return False  # another sweep was here
        for status, number in ended_between(board, tally.until, until).items():
            setattr(tally, status, getattr(tally, status) + number)
        tally.until = until
        tally.save()
    return True
