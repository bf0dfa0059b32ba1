"""Reading a mailbox back. See docs/mailboxes.md."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from mailboxes.selectors.declarations import check_usable
from mailboxes.state import members_of
from workforce.models import Item, Request, Session
from workforce.selectors.lines import line_of


def read_mailbox(*, session: Session) -> dict[str, Any]:
    """What a model is shown: id, description, members, boards, and the lines of the history window.

    Raises MailboxIsATemplate and MailboxNotBound.
    """
    declaration = check_usable(session)
    shown: dict[str, Any] = {"id": session.address}
    if session.description:
        shown["description"] = session.description
    shown["members"] = members_of(session)
    if declaration is not None and declaration.boards:
        shown["boards"] = sorted(declaration.boards)
    shown["transcript"] = [line_of(item) for item in _window(session)]
    return shown


def _window(session: Session) -> list[Item]:
    """The lines kept by the session's last counted requests, oldest first.

    Every counted request that wrote a line wrote exactly one, and lines are numbered without gaps: so the
    window is the last so many numbers, a range of the index however long the mailbox is.
    """
    counted = Request.objects.filter(Request.IS_COUNTED, session=session).order_by("-id")
    kinds = counted.values_list("counted", flat=True)[: settings.HISTORY_WINDOW]
    written = sum(1 for counts in kinds if counts == Request.Counted.LINE)
    if not written:
        return []
    # The session was read without a lock, so a newer line may be there: the newest ones count, not its counter.
    lines = Item.objects.filter(session=session, line_seq__isnull=False).order_by("-line_seq")[:written]
    return list(reversed(lines))
