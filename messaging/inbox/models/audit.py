"""What happened in an inbox, and whose keys were refused."""

from __future__ import annotations

from django.db import models

from messaging.inbox.models.inboxes import Inbox
from messaging.inbox.models.messages import Message
from workforce import clock
from workforce.models import Actor, Organization


class InboxEvent(models.Model):
    """One thing that happened. Append-only, for operators too."""

    class Kind(models.TextChoices):
        SENT = "sent", "sent"
        DELIVERED = "delivered", "delivered"
        ACKNOWLEDGED = "acknowledged", "acknowledged"
        COMPLETED = "completed", "completed"
        ARCHIVED = "archived", "archived"
        CLOSED = "closed", "closed by its sender"
        REJECTED = "rejected", "rejected"
        HANDED_OVER = "handed-over", "handed over"
        KEY_ISSUED = "key-issued", "key issued"
        KEY_REVOKED = "key-revoked", "key revoked"
        FROZEN = "frozen", "frozen"
        UNFROZEN = "unfrozen", "unfrozen"
        JOINED = "joined", "joined"
        LEFT = "left", "left"

    inbox = models.ForeignKey(Inbox, on_delete=models.CASCADE, related_name="events", db_index=False)
    kind = models.CharField(max_length=16, choices=Kind)
    at = models.DateTimeField(default=clock.now)
    #: Whose act it was; of a key, a freeze, a joining and a leaving, whom it concerns.
    actor = models.ForeignKey(Actor, null=True, on_delete=models.RESTRICT, related_name="+", db_index=False)
    passname = models.CharField(max_length=64, blank=True)
    #: The key that called, or the key that it is about.
    key_prefix = models.CharField(max_length=16, blank=True)
    #: The operator who did it, when it was one.
    operator = models.CharField(max_length=150, blank=True)
    message = models.ForeignKey(
        Message, null=True, on_delete=models.CASCADE, related_name="events", db_index=False
    )
    from_state = models.CharField(max_length=16, blank=True)
    to_state = models.CharField(max_length=16, blank=True)
    #: Of a rejection: the code of the refusal.
    code = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            # the events of an inbox, newest first
            models.Index(fields=["inbox", "-id"], name="inbox_event_of_inbox"),
            # the events of a message, in order
            models.Index(
                fields=["message", "id"],
                condition=models.Q(message__isnull=False),
                name="inbox_event_of_message",
            ),
            # how many of a kind since when (metrics)
            models.Index(fields=["inbox", "kind", "at"], name="inbox_event_by_kind"),
        ]

    def __str__(self) -> str:
        return self.kind


class CredentialIncident(models.Model):
    """Refused calls of one key prefix, for one reason, in one minute, counted."""

    #: Whose key has the prefix, when one has.
    organization = models.ForeignKey(
        Organization, null=True, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    actor = models.ForeignKey(Actor, null=True, on_delete=models.CASCADE, related_name="+")
    #: Empty for what has not the form of a key, and for those beyond the cap of a minute.
    prefix = models.CharField(max_length=16, blank=True)
    #: The code of the refusal.
    reason = models.CharField(max_length=32)
    minute = models.DateTimeField()
    count = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            # counting: one row per prefix, reason and minute
            models.UniqueConstraint(fields=["prefix", "reason", "minute"], name="one_incident_per_minute"),
        ]
        indexes = [
            # an organization's incidents, newest first
            models.Index(fields=["organization", "-id"], name="incident_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.reason} × {self.count}"
