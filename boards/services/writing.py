"""The statements of every change: the row, read and written on the condition of its revision, and its event.

They are written as SQL, because to build them by the ORM takes several times as long as to run them. On PostgreSQL
row and event are one statement, so one way to the database and back.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Model

from boards.models import Board, Task, TaskEvent
from workforce.sql.reading import Statement, locking, whole

_ROW = Statement(
    [whole(Task, "task")], "FROM boards_task task WHERE task.board_id = %s AND task.task_id = %s"
)
#: The columns of an event, in the order of their values.
_EVENT = tuple(field for field in TaskEvent._meta.concrete_fields if not field.primary_key)


def read_row(board: Board, task_id: str, *, locked: bool) -> Task | None:
    """The row of this id, locked against every other change and against filings that would wait for it, if so asked."""
    task: Task | None = _ROW.first([board.pk, task_id], more=locking("UPDATE") if locked else "")
    return task


def has_dependents(task: Task) -> bool:
    """Whether any row waits for this one: asked at every completion, and nearly always no."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM boards_taskdep WHERE dep_id = %s LIMIT 1", [task.pk])
        return cursor.fetchone() is not None


def write_row(task: Task, columns: dict[str, Any], event: TaskEvent) -> bool:
    """Write the columns and the event; False, and nothing is written, when the row has another revision by now."""
    update, insert = _update(tuple(columns)), _insert()
    row = [*_prepared(Task, columns), task.pk, task.revision]
    line = [field.get_db_prep_save(getattr(event, field.attname), connection) for field in _EVENT]
    marks = ", ".join(["%s"] * len(line))
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            text = f"WITH written AS ({update} RETURNING id) {insert} SELECT {marks} FROM written"  # noqa: S608
            cursor.execute(text, [*row, *line])
            return bool(cursor.rowcount)
        cursor.execute(update, row)
        if cursor.rowcount:
            cursor.execute(f"{insert} VALUES ({marks})", line)
        return bool(cursor.rowcount)


def _prepared(model: type[Model], columns: dict[str, Any]) -> list[Any]:
    fields = model._meta
    return [
        fields.get_field(name).get_db_prep_save(value, connection)  # type: ignore[union-attr]
        for name, value in columns.items()
    ]


@cache
def _update(names: tuple[str, ...]) -> str:
    columns = ", ".join(f"{connection.ops.quote_name(_column(name))} = %s" for name in names)
    return f"UPDATE boards_task SET {columns} WHERE id = %s AND revision = %s"  # noqa: S608


def _column(name: str) -> str:
    return str(Task._meta.get_field(name).column)  # type: ignore[union-attr]


@cache
def _insert() -> str:
    names = ", ".join(connection.ops.quote_name(field.column) for field in _EVENT)
    return f"INSERT INTO boards_taskevent ({names})"
