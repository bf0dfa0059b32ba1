"""Filing on the boards that a mailbox holds. See docs/mailboxes.md and docs/boards.md."""

from __future__ import annotations

from dataclasses import replace

from boards.hands import Hand
from boards.models import Board, Task
from boards.services.filing import NewTask, file_task
from mailboxes.errors import AuthorNotAMember, BoardNotDeclared
from mailboxes.selectors.boards import access_held_board, held_boards
from mailboxes.selectors.declarations import check_open
from mailboxes.state import members_of
from workforce.kinds import Call
from workforce.models import Request, Session


def hand_of(call: Call) -> Hand:
    """Who changes a row by this call."""
    if call.caller is None:
        return Hand(principal=call.session.owner.username, seat=_seat_behind(call.request))
    return Hand(principal=call.caller.user.username, passname=call.caller.passname)


def _seat_behind(request: Request) -> str:
    """The seat whose turn handed this over, if one did: proof, where the author is only a label."""
    if request.parent_uid is None:
        return ""
    turns = Request.objects.filter(uid=request.parent_uid, session__seat__isnull=False)
    return turns.values_list("session__seat__seat_id", flat=True).first() or ""


def file_in_mailbox(*, call: Call, board: str, author: str | None, new: NewTask) -> tuple[Board, Task]:
    """File a row on the mailbox's board of this name, in the transaction of the call.

    Raises MailboxIsATemplate, MailboxNotBound, BoardNotDeclared, AuthorNotAMember, UnknownAssignee,
    UnknownDependency, in this order; a refusal writes nothing.
    """
    check_open(call.session)
    held = access_held_board(call.session, board)
    _check_member(call.session, author)
    new = replace(new, chain_uid=call.request.chain_uid)
    return held, file_task(board=held, by=hand_of(call), new=new)


def check_filing(board: Board, author: str | None) -> None:
    """The same checks for a filing through another door, which names the board and not the mailbox."""
    session = Session.objects.filter(organization=board.organization_id, address=board.mailbox_id).first()
    if session is None:
        return  # no mailbox holds the board, so there is nobody to ask
    check_open(session)
    if not board.live:
        names = held_boards(session).values_list("name", flat=True)
        raise BoardNotDeclared.of(board.name, session.address, list(names))
    _check_member(session, author)


def _check_member(session: Session, author: str | None) -> None:
    members = members_of(session)
    if author is not None and author not in members:
        raise AuthorNotAMember.of(author, session.address, members)
