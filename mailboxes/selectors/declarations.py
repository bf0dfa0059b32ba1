"""What the last load declared."""

from __future__ import annotations

from mailboxes.errors import MailboxIsATemplate, MailboxNotBound
from mailboxes.models import Declaration
from mailboxes.state import is_mailbox_state, is_marked_template
from workforce.models import Session


def get_live_declaration(session: Session) -> Declaration | None:
    """The declaration that applies to this mailbox today, or None when it left the tree."""
    return Declaration.objects.filter(
        organization_id=session.organization_id, mailbox_id=session.address, live=True
    ).first()


def check_open(session: Session) -> None:
    """Raise MailboxIsATemplate or MailboxNotBound, in this order, with no query for an open mailbox.

    A load marks the open sessions at its template's id (mailboxes/services/opening.py), so that the
    declaration need not be read for every line that is posted.
    """
    if not is_mailbox_state(session.state) or is_marked_template(session.state):
        check_usable(session)


def check_usable(session: Session) -> Declaration | None:
    """Raise MailboxIsATemplate or MailboxNotBound, in this order; return the live declaration, if any."""
    declaration = get_live_declaration(session)
    if declaration is not None and declaration.is_template:
        raise MailboxIsATemplate(
            f"'{session.address}' is the template of the projects' rooms, not a mailbox; join a project instead"
        )
    if not is_mailbox_state(session.state):
        raise MailboxNotBound(
            f"no mailbox was opened at '{session.address}'; check the id, or declare it in the tree and load the tree"
        )
    return declaration
