"""Threads: the messages under one root, and the line from the root to one of them."""

from __future__ import annotations

from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from messaging.inbox.models import Inbox, Message
from messaging.inbox.selectors.messages import messages_of


def thread_of(inbox: Inbox, message: Message) -> QuerySet[Message]:
    """Every message of the message's thread."""
    return messages_of(inbox).filter(thread_id=message.thread_id)


def ancestry_of(inbox: Inbox, message: Message, *, after: int, limit: int) -> list[Message]:
    """The messages from the root to this one, in order, from the given depth on; two queries, however deep."""
    table = connection.ops.quote_name(Message._meta.db_table)
    field = Message._meta.pk
    with connection.cursor() as cursor:
        cursor.execute(
            f"WITH RECURSIVE line (id, parent, depth) AS ("  # noqa: S608 - the model's own name
            f" SELECT id, replying_to_id, depth FROM {table} WHERE id = %s"
            f" UNION ALL SELECT up.id, up.replying_to_id, up.depth FROM {table} up JOIN line ON up.id = line.parent"
            ") SELECT id FROM line WHERE depth > %s ORDER BY depth LIMIT %s",
            [field.get_db_prep_value(message.pk, connection), after, limit],
        )
        keys = [row[0] if isinstance(row[0], UUID) else UUID(row[0]) for row in cursor.fetchall()]
    return list(messages_of(inbox).filter(pk__in=keys).order_by("depth"))
