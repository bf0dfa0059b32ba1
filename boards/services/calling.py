"""Calling the workers of a board once rows that they can take are committed. See docs/boards.md."""

from __future__ import annotations

import threading
import time
from functools import partial

import structlog
from django.conf import settings
from django.db import transaction

from boards.models import Board, BoardWorker
from workforce.dispatch.sending import SENDER, Message

DRAIN = "boards.drain"
#: The first call goes out at once; those that follow this soon go out together, once.
DELAY = 0.2
#: A call that is due this soon may have looked already; it does not count for what is committed now.
_MARGIN = 0.05
#: The kinds of changes after which a row may be ready that was not, or ready for another worker.
_READYING = frozenset(
    {"added", "retried", "released", "reclaimed", "answered", "unblocked", "completed", "assignee_changed"}
)
log = structlog.get_logger(__name__)


class _Calls:
    """When this process's last call for each board is run."""

    def __init__(self) -> None:
        self._at: dict[int, float] = {}
        self._lock = threading.Lock()

    def wait(self, board: int) -> float | None:
        """In how many seconds a call is to be run; None when one that was sent is still to come."""
        moment = time.monotonic()
        with self._lock:
            at = self._at.get(board, -DELAY)
            if at > moment + _MARGIN:
                return None
            if len(self._at) > 1000:
                self._at = {key: last for key, last in self._at.items() if last > moment - DELAY}
            seconds = 0.0 if moment >= at + DELAY else DELAY
            self._at[board] = moment + seconds
            return seconds

    def forget(self, board: int) -> None:
        """The call was not made: the next one is."""
        with self._lock:
            self._at.pop(board, None)


_calls = _Calls()


def call_workers_for(kind: str, board: int) -> None:
    """Call the board's workers after the commit, when a change of this kind may give them something to do."""
    if kind in _READYING:
        call_workers_on_commit(board)


def call_workers_on_commit(board: int) -> None:
    """Have the board (its key) drained after the current transaction has committed."""
    if settings.DISPATCH == "enabled":
        transaction.on_commit(partial(_call, board))


def _call(board: int) -> None:
    """Send one message, if anybody drains the board. One that is lost costs seconds: the sweep finds the rows."""
    seconds = _calls.wait(board)
    if seconds is None:
        return
    try:
        if _is_drained(board):
            SENDER.put(Message(DRAIN, (board,), countdown=seconds or None))
    except Exception as error:
        _calls.forget(board)
        log.warning("call_failed", board=board, reason=f"{type(error).__name__}: {error}"[:200])


def _is_drained(board: int) -> bool:
    """Whether anybody declared to work the board, or it is a conversation's own, whose rows name their workers."""
    rows = BoardWorker.objects.filter(board=board)
    return rows.exists() or Board.objects.filter(pk=board, session__isnull=False).exists()
