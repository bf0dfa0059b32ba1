"""Marking open mailboxes whose id is a room template's, so that a post need not read the declaration."""

from __future__ import annotations

from collections.abc import Collection

from mailboxes.models import Declaration
from mailboxes.state import is_mailbox_state, with_template_mark
from workforce.models import Organization, Session

BATCH = 500


def mark_templates(*, organization: Organization, mailbox_ids: Collection[str]) -> None:
    """Make the mark of each open mailbox among these ids say what its live declaration says now.

    Must be called in a transaction, after the declarations were written.
    """
    wanted = sorted(mailbox_ids)
    for start in range(0, len(wanted), BATCH):
        batch = wanted[start : start + BATCH]
        rows = Declaration.objects.filter(organization=organization, mailbox_id__in=batch)
        templates = set(rows.filter(live=True, is_template=True).values_list("mailbox_id", flat=True))
        sessions = Session.objects.select_for_update().filter(organization=organization, address__in=batch)
        for session in sessions.order_by("pk"):
            if not is_mailbox_state(session.state):
                continue
            state = with_template_mark(session.state, is_template=session.address in templates)
            if state != session.state:
                Session.objects.filter(pk=session.pk).update(state=state)
