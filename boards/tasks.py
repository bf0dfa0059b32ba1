"""What a Celery worker does for boards. Safe to run twice."""

from __future__ import annotations

from celery import shared_task

from boards.drains import draining
from boards.services import calling, nudging, telling


@shared_task(name=nudging.TELL_CHANGES)
def tell_changes(organization_id: int, mailbox_id: str) -> int:
    """Tell a mailbox of the changes of its boards' rows."""
    return telling.tell_changes(organization_id, mailbox_id)


@shared_task(name=calling.DRAIN)
def drain(board_key: int) -> int:
    """Hand rows to the seats that drain a board."""
    return draining.drain_board(board_key)
