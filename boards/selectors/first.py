"""The first row that a claim can take, locked: the query that every claim runs.

It is written as SQL, because to build it by the ORM takes several times as long as to run it, and so that on
PostgreSQL a claim can be one statement around it (boards/services/taking.py).
"""

from __future__ import annotations

from datetime import datetime
from functools import cache
from typing import Any

from django.db import connection

from boards.models import Board, Task
from boards.selectors.ready import Wanted
from workforce.sql.reading import Statement, locking, whole

#: What ``pending_tasks``, ``lapsed_tasks`` and ``ORDER`` say (boards/selectors/ready.py).
_FIRST = """
FROM boards_task task
WHERE task.board_id = %s AND task.status = 'pending' AND task.unmet = 0{narrowed}
AND NOT EXISTS (
    SELECT 1 FROM boards_task held
    WHERE held.board_id = %s AND held.status = 'in_progress' AND held.lease_until <= %s{held_narrowed}
)
ORDER BY task.rank DESC, task.created_at, task.id LIMIT 1{locked}
"""
_OF_ASSIGNEE = " AND NOT (task.assignee = '') AND task.assignee = %s"
_OF_ASSIGNEE_OR_NOBODY = " AND task.assignee IN (%s, '')"
_WITH_LABEL = (
    " AND EXISTS (SELECT 1 FROM boards_tasklabel named WHERE named.task_id = task.id AND named.label = %s)"
)
# Not the key: a filing that comes to wait for a row locks that, and must not hide the row from claims.
_LOCK = "NO KEY UPDATE OF task SKIP LOCKED"


def lock_first_pending(board: Board, wanted: Wanted, moment: datetime) -> Task | None:
    """The first pending row, locked; one that somebody else is taking is passed over.

    None when there is no such row, and also when any row has lapsed: then the order among both has to be seen to.
    Must be called in a transaction.
    """
    tail, params = first_pending(board, wanted, moment)
    task: Task | None = _statement(tail).first(params)
    return task


def first_pending(board: Board, wanted: Wanted, moment: datetime) -> tuple[str, list[Any]]:
    """The statement that locks that row as ``task``, from FROM on, and its parameters."""
    narrowed: list[Any] = [*([wanted.assignee] if wanted.assignee else []), *wanted.labels]
    text = _text(locking(_LOCK), _whose(wanted), len(wanted.labels))
    lapsed = connection.ops.adapt_datetimefield_value(moment)
    return text, [board.pk, *narrowed, board.pk, lapsed, *narrowed]


def _whose(wanted: Wanted) -> str:
    if not wanted.assignee:
        return ""
    return _OF_ASSIGNEE_OR_NOBODY if wanted.or_nobody else _OF_ASSIGNEE


@cache
def _statement(tail: str) -> Statement:
    return Statement([whole(Task, "task")], tail)


@cache
def _text(locked: str, whose: str, labels: int) -> str:
    narrowed = whose + _WITH_LABEL * labels
    held = narrowed.replace("task.", "held.")
    return _FIRST.format(narrowed=narrowed, held_narrowed=held, locked=locked)
