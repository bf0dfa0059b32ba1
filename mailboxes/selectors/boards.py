"""The boards that a mailbox holds today."""

from __future__ import annotations

from django.db.models import QuerySet

from boards.models import Board
from mailboxes.errors import BoardNotDeclared
from workforce.models import Session


def held_boards(session: Session) -> QuerySet[Board]:
    """The boards of this mailbox, as the last load settled them."""
    return Board.objects.filter(
        organization_id=session.organization_id, mailbox_id=session.address, live=True
    ).order_by("name")


def access_held_board(session: Session, name: str) -> Board:
    """The mailbox's board of this name. Raises BoardNotDeclared, for another mailbox's board too."""
    held = list(held_boards(session))
    for board in held:
        if board.name == name:
            return board
    raise BoardNotDeclared.of(name, session.address, [board.name for board in held])
