"""Repeated calls: the first answer, kept for a day."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from workforce import clock
from workforce.models.fields import JsonText
from workforce.models.organizations import Organization


class IdempotencyRecord(models.Model):
    """What a call with an ``Idempotency-Key`` was answered; written first, in the transaction of its work."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+", db_index=False)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    path = models.CharField(max_length=500)
    key = models.CharField(max_length=255)
    #: SHA-256 of the input, to tell a repeated call from another one under the same key.
    digest = models.CharField(max_length=64)
    request_uid = models.UUIDField(null=True)
    answer = JsonText(null=True)
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "organization", "key", "path"], name="one_answer_per_key"
            ),
        ]
        # the pruning after a day
        indexes = [models.Index(fields=["created_at"], name="idempotency_age")]

    def __str__(self) -> str:
        return self.key
