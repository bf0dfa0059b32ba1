"""The boards that a worker's settings may name."""

from __future__ import annotations

from boards.models import Board
from workforce.models import Organization


def live_board_ids(organization: Organization) -> list[str]:
    """The ids of the boards that a declaration holds today."""
    boards = Board.objects.filter(organization=organization, live=True, session=None)
    return list(boards.values_list("board_id", flat=True))
