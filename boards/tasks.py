"""What a Celery worker does for boards. Safe to run twice."""

from __future__ import annotations

from celery import shared_task

from boards.services import nudging, telling


@shared_task(name=nudging.TELL_CHANGES)
def tell_changes(organization_id: int, mailbox_id: str) -> int:
    """Tell a mailbox of the changes of its boards' rows."""
    return telling.tell_changes(organization_id, mailbox_id)
