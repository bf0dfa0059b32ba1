"""A claim as one statement, on PostgreSQL: the first pending row is found, locked and written, with its event.

What it writes is what ``claim_next`` decides (boards/services/claiming.py) for a row that waits; a lapsed one is left
to that. One way to the database and back, and no lock that is held while Python thinks.
"""

from __future__ import annotations

from contextlib import nullcontext
from datetime import datetime, timedelta
from functools import cache

from django.db import connection, transaction

from boards.hands import Hand
from boards.models import Board, Task
from boards.selectors.first import first_pending
from boards.selectors.ready import Wanted
from boards.services.changing import follow_change, is_private
from workforce.models.fields import dump_json
from workforce.sql.reading import Statement, whole

CLAIMED = "claimed"

#: The history keeps what RECORDED of boards/services/changing.py names, in the words of JsonText.
_TAKE = """
WITH first AS (SELECT task.id, task.status, task.run {first}), taken AS (
    UPDATE boards_task task SET
        status = 'in_progress', attempts = task.attempts + 1, claim_number = task.claim_number + 1,
        claimed_by = %s, lease_seconds = %s, lease_until = %s, started_at = COALESCE(task.started_at, %s), run = NULL,
        revision = task.revision + 1, updated_at = GREATEST(%s, task.updated_at)
    FROM first WHERE task.id = first.id RETURNING task.*
), event AS (
    INSERT INTO boards_taskevent
        (task_id, kind, at, principal, passname, seat, from_status, to_status, changes, revision, told)
    SELECT taken.id, %s, taken.updated_at, %s, %s, %s, first.status, taken.status,
        '{{"attempts":' || taken.attempts || ',"heldBy":' || %s
        || CASE WHEN first.run IS NULL THEN '' ELSE ',"run":null' END || '}}',
        taken.revision, %s
    FROM taken, first
)
"""


def can_take_at_once() -> bool:
    """Whether the database takes a row, locks it past others and writes its event in one statement."""
    return connection.vendor == "postgresql"


def take_first_pending(
    *, board: Board, worker: str, by: Hand, lease_seconds: int, wanted: Wanted, moment: datetime
) -> Task | None:
    """Take the first pending row; None when there is none, and also when any row has lapsed."""
    first, narrowed = first_pending(board, wanted, moment)
    claim = [worker, lease_seconds, moment + timedelta(seconds=lease_seconds), moment, moment]
    event = [CLAIMED, by.principal, by.passname, by.seat, dump_json(worker), is_private(board)]
    # What a conversation is told of its own board is owed in the transaction of the change.
    with transaction.atomic() if is_private(board) else nullcontext():
        task: Task | None = _statement(first).first([*narrowed, *claim, *event])
        if task is not None:
            follow_change(board, task, CLAIMED, by)
    return task


@cache
def _statement(first: str) -> Statement:
    return Statement([whole(Task, "taken")], "FROM taken", opening=_TAKE.format(first=first))
