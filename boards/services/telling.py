"""Telling what holds a board of its rows' changes: later than the change, in order, each once.

Claims and other changes never wait for whoever shows them: they leave an event, and these functions hand the
events on. See docs/boards.md, "History".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import structlog
from django.db import DatabaseError

from boards.models import TaskEvent

#: Shows the untold events of the boards of one mailbox (organization's key, mailbox's id), oldest first, and
#: marks them told, in one transaction that no other teller of this mailbox can share; returns how many,
#: ``BATCH`` when there may be more.
Teller = Callable[[int, str], int]
_TELLERS: list[Teller] = []
BATCH = 500
log = structlog.get_logger(__name__)


def register_teller(teller: Teller) -> None:
    """Have changes told. Called from ``AppConfig.ready()``; the same teller again is no second one."""
    if teller not in _TELLERS:
        _TELLERS.append(teller)


def tell_changes(organization_id: int, mailbox_id: str) -> int:
    """Tell of every change of a mailbox's boards that is not told yet; safe to call twice and at once."""
    told = 0
    for teller in _TELLERS:
        now_told = BATCH
        while now_told == BATCH:
            now_told = teller(organization_id, mailbox_id)
            told += now_told
    return told


def tell_untold() -> int:
    """The same for every mailbox: what messages that were lost should have told. One that fails stops no other."""
    waiting = TaskEvent.objects.filter(told=False).order_by()
    holders = waiting.values_list("task__board__organization_id", "task__board__mailbox_id").distinct()
    told = 0
    for organization_id, mailbox_id in sorted(holders):
        try:
            told += tell_changes(organization_id, mailbox_id)
        except DatabaseError as error:
            log.warning("changes_not_told", mailbox=mailbox_id, reason=type(error).__name__)
    return told


def list_untold(organization_id: int, mailbox_id: str) -> list[TaskEvent]:
    """The oldest changes of a mailbox's boards that are not told, with their rows and boards."""
    boards = {"task__board__organization_id": organization_id, "task__board__mailbox_id": mailbox_id}
    waiting = TaskEvent.objects.filter(told=False, **boards).select_related("task__board")
    return list(waiting.defer("task__input", "task__output", "task__context").order_by("id")[:BATCH])


def mark_told(events: Iterable[TaskEvent]) -> None:
    """These were shown; in the transaction that shows them."""
    TaskEvent.objects.filter(pk__in=[event.pk for event in events]).update(told=True)
