"""Showing the changes of a mailbox's boards on its session. See docs/boards.md, "History"."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from boards.models import TaskEvent
from boards.services.telling import list_untold, mark_told
from mailboxes.state import is_mailbox_state
from workforce import clock
from workforce.models import Item, Request, Session
from workforce.services.items import append_items

#: The component of the items.
TASK_CHANGE = "task-change"
#: The action of the requests under which they stand.
ON_TASK_CHANGE = "onTaskChange"
_EXCERPT = 200


def show_changes(organization_id: int, mailbox_id: str) -> int:
    """Append an item for the oldest changes that were not told, under one request; returns how many.

    The session's row is locked before they are looked up: so each change is shown once, whoever calls this
    beside, and those of one row are in order. Changes of a board without an open mailbox are told to nobody.
    """
    with transaction.atomic():
        sessions = Session.objects.select_for_update().filter(
            organization=organization_id, address=mailbox_id
        )
        session = sessions.first()
        events = list_untold(organization_id, mailbox_id)
        if events and session is not None and is_mailbox_state(session.state):
            _append(session, events)
        mark_told(events)
    return len(events)


def _append(session: Session, events: list[TaskEvent]) -> None:
    moment = clock.now()
    request = Request(
        session=session,
        action=ON_TASK_CHANGE,
        source=Request.Source.TASK,
        status=Request.Status.COMPLETED,
        attempts=1,
        created_at=moment,
        started_at=moment,
        ended_at=moment,
    )
    request.chain_uid = request.uid
    request.save(force_insert=True)
    append_items(
        session=session,
        request=request,
        type=Item.Type.COMPONENT,
        component=TASK_CHANGE,
        data=[change_shape(event) for event in events],
    )


def change_shape(event: TaskEvent) -> dict[str, Any]:
    """What the item says: the change, and the row as it is routed now."""
    task, board = event.task, event.task.board
    shape = {
        "boardId": board.board_id,
        "board": board.name,
        "taskId": task.task_id,
        "kind": event.kind,
        "status": event.to_status,
        "title": task.title or _excerpt(task.goal),
        "assignee": task.assignee,
        "by": event.seat or event.passname or event.principal,
    }
    return {name: value for name, value in shape.items() if value != ""}


def _excerpt(text: str) -> str:
    return text if len(text) <= _EXCERPT else f"{text[:_EXCERPT]}…"
