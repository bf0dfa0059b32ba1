"""A conversation's delegates, and what was handed to them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from boards.models import Task
from workforce import clock
from workforce.ids import new_uuid
from workforce.models import JsonText, Seat, Session


class DelegateList(models.Model):
    """The delegates of one conversation once they differ from the worker's file, and whose turn was last.

    The row is the lock of that turn.
    """

    session = models.OneToOneField(Session, on_delete=models.CASCADE, primary_key=True, related_name="+")
    #: Worker ids in order; null while the worker's own settings count.
    delegates = JsonText(null=True)
    fallback = models.CharField(max_length=130, blank=True)
    #: Round-robin: who had the last turn, and where it stood.
    last = models.CharField(max_length=130, blank=True)
    place = models.IntegerField(default=0)

    def __str__(self) -> str:
        return f"delegates of {self.session_id}"


class Round(models.Model):
    """One post that went to delegates, and which time: 0, then 1 to 3 with the answers of the one before."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+", db_index=False)
    #: The request of the line that was handed on.
    post_uid = models.UUIDField()
    number = models.SmallIntegerField(default=0)
    by = models.CharField(max_length=16)
    principal = models.CharField(max_length=200)
    body = models.TextField()
    #: The post of the mailbox above that the first answer answers; empty when none is owed.
    mailbox_post = models.CharField(max_length=64, blank=True)
    opened_at = models.DateTimeField(default=clock.now, editable=False)
    #: Until when answers go back out; null when they do not.
    deadline = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "post_uid", "number"], name="one_round_per_number")
        ]
        indexes = [
            # the conversation's last post, for its holder
            models.Index(fields=["session", "-id"], name="round_newest"),
            # the sweep: rounds whose time is over
            models.Index(
                fields=["deadline"],
                condition=Q(closed_at__isnull=True, deadline__isnull=False),
                name="round_late",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.post_uid} round {self.number}"


class HandOff(models.Model):
    """One post with one delegate, in one round: answered once."""

    class Status(models.TextChoices):
        WAITING = "waiting", "waiting"
        ANSWERED = "answered", "answered"
        FAILED = "failed", "failed"

    #: What the delegate's answer hands back.
    token = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="hand_offs", db_index=False)
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="+")
    #: The run in which the delegate answers.
    request_uid = models.UUIDField()
    status = models.CharField(max_length=16, choices=Status, default=Status.WAITING)
    #: What it answered, or why it did not.
    text = models.TextField(blank=True)
    #: When it was answered or failed.
    settled_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "seat"], name="one_hand_off_per_round")]
        indexes = [
            # the sweep: what waits for a run that is over
            models.Index(fields=["token"], condition=Q(status="waiting"), name="hand_off_waiting")
        ]

    def __str__(self) -> str:
        return str(self.token)


class FiledTask(models.Model):
    """Where a row of a conversation's board stands among those that were filed on the way to it."""

    task = models.OneToOneField(Task, on_delete=models.CASCADE, primary_key=True, related_name="+")
    #: The row that a person's conversation filed first; null for that one itself.
    top = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="+")
    #: On how many boards deep it is, from 1.
    depth = models.SmallIntegerField()
    #: Of a top: how many rows were filed under it, at any depth, ended ones included.
    under = models.IntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.task_id} at depth {self.depth}"
