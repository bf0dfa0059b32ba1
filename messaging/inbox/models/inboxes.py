"""Inboxes, who takes part in them, and what their payloads must look like."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from messaging.inbox.receipts import Type
from workforce import clock
from workforce.models import Actor, JsonText, Organization


class Inbox(models.Model):
    """One trust boundary inside an organization: participants and messages. See docs/inbox.md.

    A send locks this row first, counts ``message_seq`` up and reads who takes part and what was sent before: so
    numbers have no gaps, equal sends are folded into one, and nobody joins or leaves in between.
    """

    organization = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="inboxes", db_index=False
    )
    slug = models.CharField(max_length=64)
    #: Seconds in which an equal send is answered with the first; null is the setting's.
    duplicate_window = models.IntegerField(null=True)
    #: The number of the newest message; no message is ever deleted, so it is how many there are as well.
    message_seq = models.BigIntegerField(default=0)
    #: How many payload schemas it has: most have none, and a send need not look.
    schema_count = models.IntegerField(default=0)
    #: Sends that were folded into an earlier one by their content, or by their ``Idempotency-Key``.
    duplicates = models.BigIntegerField(default=0)
    retries = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name_plural = "inboxes"
        constraints = [
            models.UniqueConstraint(fields=["organization", "slug"], name="one_inbox_per_slug"),
            models.CheckConstraint(
                condition=Q(duplicate_window__isnull=True)
                | Q(duplicate_window__gte=0, duplicate_window__lte=86_400),
                name="inbox_window_within_a_day",
            ),
        ]

    def __str__(self) -> str:
        return self.slug


class Participation(models.Model):
    """An actor's place in an inbox, with the counts of its open receipts.

    Every change of the actor's own receipts locks this row first; a send counts ``pending`` up while it holds the
    inbox. So the counts always equal the receipts, and a first page costs the same however many are open.
    """

    inbox = models.ForeignKey(Inbox, on_delete=models.CASCADE, related_name="participations", db_index=False)
    actor = models.ForeignKey(Actor, on_delete=models.CASCADE, related_name="participations")
    joined_at = models.DateTimeField(default=clock.now)
    #: Set while it takes no part; its receipts stay.
    left_at = models.DateTimeField(null=True)
    pending = models.BigIntegerField(default=0)
    delivered = models.BigIntegerField(default=0)
    #: The number of the newest message that was sent to it: what a waiting pull watches.
    newest_seq = models.BigIntegerField(default=0)
    #: When it last pulled; at most a minute old while it pulls an empty queue.
    last_pulled_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # every call of a key: its actor's place in the inbox; and the participants of an inbox
            models.UniqueConstraint(fields=["inbox", "actor"], name="one_participation_per_actor"),
            models.CheckConstraint(
                condition=Q(pending__gte=0, delivered__gte=0), name="participation_counts_no_less_than_none"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.actor} in {self.inbox}"


class PayloadSchema(models.Model):
    """A JSON Schema that every payload of a type and topic must fit."""

    inbox = models.ForeignKey(Inbox, on_delete=models.CASCADE, related_name="schemas", db_index=False)
    type = models.CharField(max_length=16, choices=[(t.value, t.value) for t in Type])
    topic = models.CharField(max_length=64)
    schema = JsonText()
    created_at = models.DateTimeField(default=clock.now, editable=False)
    updated_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["inbox", "type", "topic"], name="one_schema_per_type_and_topic"),
        ]

    def __str__(self) -> str:
        return f"{self.type} in {self.topic}"
