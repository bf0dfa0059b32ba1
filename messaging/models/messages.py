"""The log of worker messages, and the count of each chain."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from workforce import clock
from workforce.models import Organization, Session


class Chain(models.Model):
    """How many messages descend from one line of a user. The row is the lock of its count."""

    #: The request of the line: the first of everything that follows from it.
    uid = models.UUIDField(primary_key=True)
    count = models.IntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.uid}: {self.count}"


class WorkerMessage(models.Model):
    """One message from a worker to another on the same user's roster. Never changed but in its status."""

    class Status(models.TextChoices):
        DELIVERED = "delivered", "delivered"
        REFUSED = "refused", "refused"
        #: Of the interface; never written here, where a message and its delivery are one transaction.
        UNCONFIRMED = "unconfirmed", "unconfirmed"

    id = models.BigAutoField(primary_key=True)
    #: The id on the wire: ``msg_`` and twenty hex digits.
    message_id = models.CharField(max_length=24, unique=True)
    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+", db_index=False)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    sender = models.CharField(max_length=130)
    recipient = models.CharField(max_length=130)
    text = models.TextField()
    #: The id of the first message; an answer inherits it.
    exchange = models.CharField(max_length=24)
    reply_to = models.CharField(max_length=24, blank=True)
    from_session = models.ForeignKey(Session, on_delete=models.SET_NULL, null=True, related_name="+")
    to_session = models.ForeignKey(Session, on_delete=models.SET_NULL, null=True, related_name="+")
    #: The turn that sent it.
    request_uid = models.UUIDField()
    chain_uid = models.UUIDField()
    #: Its number in the chain, from 1; 0 for one that was refused.
    hop = models.IntegerField(default=0)
    #: The turn's final text, which nobody sent by the tool.
    automatic = models.BooleanField(default=False)
    status = models.CharField(max_length=16, choices=Status)
    reason = models.TextField(blank=True)
    #: One sending is one row, also when its turn is run again.
    dispatch_key = models.CharField(max_length=120, unique=True)
    at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        indexes = [
            # GET /api/messages: a user's log, newest first
            models.Index(fields=["organization", "owner", "-id"], name="message_newest"),
            # the same of one worker
            models.Index(fields=["owner", "sender", "-id"], name="message_from"),
            models.Index(fields=["owner", "recipient", "-id"], name="message_to"),
            # one exchange, oldest first
            models.Index(fields=["exchange", "id"], name="message_exchange"),
            # what a turn has sent
            models.Index(fields=["request_uid"], name="message_of_turn"),
        ]

    def __str__(self) -> str:
        return self.message_id
