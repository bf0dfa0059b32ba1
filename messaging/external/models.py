"""What external seats were told, and what they answered."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from messaging.inbox.models import Message
from workforce import clock
from workforce.models import Seat, Session


class OutsideItem(models.Model):
    """A message of an inbox that told an external seat's actor of something."""

    class About(models.TextChoices):
        POST = "post", "post"
        #: A post that a mailbox routed to the seat: one answer is owed.
        ROUTED = "routed", "routed post"
        MESSAGE = "message", "worker message"
        ROW = "row", "board row"

    message = models.OneToOneField(Message, on_delete=models.CASCADE, primary_key=True, related_name="+")
    seat = models.ForeignKey(Seat, on_delete=models.CASCADE, related_name="+", db_index=False)
    #: The seat's conversation in which it was told.
    session = models.ForeignKey(Session, on_delete=models.SET_NULL, null=True, related_name="+")
    about = models.CharField(max_length=16, choices=About)
    #: The post, the message, or the row and when it became ready: told once, also when the run is repeated.
    subject = models.CharField(max_length=300)
    #: The post's or message's own id, or the row's.
    subject_id = models.CharField(max_length=64)
    #: Who wrote the worker message.
    sender = models.CharField(max_length=130, blank=True)
    chain_uid = models.UUIDField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["seat", "subject"], name="one_outside_item_per_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.about} {self.subject_id}"


class OutsideReply(models.Model):
    """A reply to such a message, which is the seat's answer, until it is known what became of it."""

    message = models.OneToOneField(Message, on_delete=models.CASCADE, primary_key=True, related_name="+")
    item = models.ForeignKey(OutsideItem, on_delete=models.CASCADE, related_name="replies")
    #: The run that carries it on now: the seat's own, then the mailbox's.
    request_uid = models.UUIDField()
    at = models.DateTimeField(default=clock.now, editable=False)
    settled_at = models.DateTimeField(null=True)
    #: The code it was refused with; empty when it landed.
    refused = models.CharField(max_length=64, blank=True)

    class Meta:
        verbose_name_plural = "outside replies"
        indexes = [
            # the sweep: replies whose run has ended without a word
            models.Index(fields=["at"], condition=Q(settled_at__isnull=True), name="outside_reply_unsettled"),
        ]

    def __str__(self) -> str:
        return f"reply to {self.item_id}"
