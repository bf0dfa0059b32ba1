"""The same call twice is one call: ``Idempotency-Key``. See docs/sessions.md."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction

from workforce import clock
from workforce.callers import Caller
from workforce.errors import IdempotencyKeyReused
from workforce.models import IdempotencyRecord

#: How long a repeated call gets the first answer.
KEPT = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Repeat:
    """The header's key with the path it was sent to and a digest of the input."""

    key: str
    path: str
    digest: str


def digest_of(value: Any) -> str:
    """A digest that tells two inputs apart as JSON values: key order is nothing; 1, 1.0 and true differ."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def begin(*, caller: Caller, repeat: Repeat) -> tuple[IdempotencyRecord, bool]:
    """Write the record before the work, or find the first call's.

    Returns the record and whether this call is the first. A call at the same moment waits for the first
    one's transaction. Raises IdempotencyKeyReused when the input differs. Must be called in a transaction.
    """
    scope = {"organization": caller.organization, "user": caller.user, "key": repeat.key, "path": repeat.path}
    try:
        with transaction.atomic():
            return IdempotencyRecord.objects.create(**scope, digest=repeat.digest), True
    except IntegrityError:
        record = IdempotencyRecord.objects.get(**scope)
    if record.created_at < clock.now() - KEPT:
        IdempotencyRecord.objects.filter(pk=record.pk, created_at=record.created_at).delete()
        return begin(caller=caller, repeat=repeat)
    if record.digest != repeat.digest:
        raise IdempotencyKeyReused(
            f"the Idempotency-Key '{repeat.key}' was used on this path with another input; use a new key"
        )
    return record, False
