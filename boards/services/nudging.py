"""Asking a worker to tell of changes, once they are committed. See docs/boards.md, "History"."""

from __future__ import annotations

import threading
import time
from functools import partial

from django.db import transaction

from boards.models import Board
from workforce.dispatch.sending import SENDER, Message

TELL_CHANGES = "boards.tell_changes"
#: A message is run this long after it is sent, and tells of everything that was committed until then: however
#: many changes a process makes, it sends at most one message per mailbox in this time.
DELAY = 0.2
#: A change this long before the message is due still counts on it.
_MARGIN = 0.05


class _Sent:
    """Until when the changes of each mailbox are covered by a message of this process."""

    def __init__(self) -> None:
        self._until: dict[tuple[int, str], float] = {}
        self._lock = threading.Lock()

    def is_covered(self, holder: tuple[int, str]) -> bool:
        """Whether a message that was sent already will tell of it; when not, the caller sends one."""
        moment = time.monotonic()
        with self._lock:
            if self._until.get(holder, 0) > moment:
                return True
            if len(self._until) > 1000:
                self._until = {key: until for key, until in self._until.items() if until > moment}
            self._until[holder] = moment + DELAY - _MARGIN
            return False


_sent = _Sent()


def nudge_teller_on_commit(board: Board) -> None:
    """Have what holds the board told of its changes after the current transaction has committed."""
    transaction.on_commit(partial(_nudge, board.organization_id, board.mailbox_id))


def _nudge(organization_id: int, mailbox_id: str) -> None:
    """Have one message sent. One that is lost costs seconds: the events are there, and the sweep finds them."""
    holder = (organization_id, mailbox_id)
    if not _sent.is_covered(holder):
        SENDER.put(Message(TELL_CHANGES, holder, countdown=DELAY))
