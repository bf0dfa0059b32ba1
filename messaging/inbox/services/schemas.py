"""What the payloads of an inbox must look like. See docs/inbox.md, "Payload schemas"."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from messaging.inbox.errors import BadSchema, NoSchema
from messaging.inbox.fitting import schema_fault
from messaging.inbox.models import Inbox, PayloadSchema
from workforce import clock
from workforce.errors import InvalidInput
from workforce.names import check_name


def set_schema(*, inbox: Inbox, type: str, topic: str, schema: Any) -> PayloadSchema:
    """Hold every payload of the type and topic to the schema from the next send on. Raises BadSchema, InvalidInput."""
    fault = check_name("topic", topic)
    if fault is not None:
        raise InvalidInput.at("topic", fault)
    fault = schema_fault(schema)
    if fault is not None:
        raise BadSchema(f"payloads cannot be held to this schema: {fault}")
    with transaction.atomic():
        _lock(inbox)
        kept, _ = PayloadSchema.objects.update_or_create(
            inbox=inbox, type=type, topic=topic, defaults={"schema": schema, "updated_at": clock.now()}
        )
        _count(inbox)
    return kept


def remove_schema(*, inbox: Inbox, type: str, topic: str) -> None:
    """Hold the payloads of the type and topic to nothing any more. Raises NoSchema."""
    with transaction.atomic():
        _lock(inbox)
        removed, _ = PayloadSchema.objects.filter(inbox=inbox, type=type, topic=topic).delete()
        if not removed:
            raise NoSchema(f"'{inbox.slug}' has no schema for '{type}' in '{topic[:64]}'")
        _count(inbox)


def _lock(inbox: Inbox) -> None:
    Inbox.objects.select_for_update(no_key=True).get(pk=inbox.pk)


def _count(inbox: Inbox) -> None:
    inbox.schema_count = PayloadSchema.objects.filter(inbox=inbox).count()
    Inbox.objects.filter(pk=inbox.pk).update(schema_count=inbox.schema_count)
