"""Draining boards: at a call, and by the sweep for what no call was sent for. See docs/boards.md."""

from __future__ import annotations

import structlog
from django.conf import settings

from boards.drains.conversations import conversations_with_work, drain_conversation
from boards.drains.handing import fill_seat
from boards.drains.heralding import claims_itself, tell_ready
from boards.drains.stations import boards_with_work, seats_of
from boards.models import Board
from workforce import clock

log = structlog.get_logger(__name__)


def drain_board(board_key: int) -> int:
    """Hand rows to every seat that drains the board, from all of its boards; returns how many.

    A seat that takes rows itself is told of those of this board instead. Rows of a conversation's own board go to
    the workers that they name. Safe to call twice and at once. Nothing is drained where work is not started
    (DISPATCH=disabled).
    """
    board = Board.objects.filter(pk=board_key, live=True).first()
    if board is None or settings.DISPATCH != "enabled":
        return 0
    if board.session_id is not None:
        return drain_conversation(board)
    return sum(
        tell_ready(seat, board) if claims_itself(seat) else fill_seat(seat) for seat in seats_of(board)
    )


def drain_boards() -> int:
    """The same for every board with something to take: what calls that were lost should have done.

    A board that cannot be drained does not stop the rest.
    """
    if settings.DISPATCH != "enabled":
        return 0
    handed = 0
    moment = clock.now()
    for board in [*boards_with_work(moment), *conversations_with_work(moment)]:
        try:
            handed += drain_board(board.pk)
        except Exception as error:  # the next round tries again
            log.warning(
                "board_not_drained", board=board.board_id, reason=f"{type(error).__name__}: {error}"[:200]
            )
    return handed
