"""Requests: runs of actions. The row is the job; a broker's message is only a nudge."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from workforce import clock
from workforce.ids import new_uuid
from workforce.models.fields import JsonText
from workforce.models.literals import Literal
from workforce.models.sessions import Session


class Request(models.Model):
    """One run of one action in one session. See docs/sessions.md and docs/dispatch.md."""

    class Status(models.TextChoices):
        PENDING = "pending", "pending"
        IN_PROGRESS = "in_progress", "in progress"
        COMPLETED = "completed", "completed"
        FAILED = "failed", "failed"
        ABORTED = "aborted", "aborted"

    class Source(models.TextChoices):
        HTTP = "http", "HTTP"
        DISPATCH = "dispatch", "dispatch"
        TASK = "task", "task"
        MCP = "mcp", "MCP"
        ADMIN = "admin", "admin"
        SYSTEM = "system", "system"

    class Counted(models.IntegerChoices):
        """What a request means to the history window of its session."""

        NO = 0, "no"
        FAN_OUT = 1, "fan-out"
        LINE = 2, "wrote a line"

    UNFINISHED = (Status.PENDING, Status.IN_PROGRESS)
    #: The conditions of the partial indexes below, as queries must write them to be served by those.
    IS_UNFINISHED = Q(status__in=[Literal("pending"), Literal("in_progress")])
    IS_FAILED = Q(status=Literal("failed"))
    IS_COUNTED = Q(counted__gt=Literal(0))

    #: Arrival order. The id on the wire is ``uid``, known before the row is written.
    id = models.BigAutoField(primary_key=True)
    uid = models.UUIDField(default=new_uuid, unique=True, editable=False)
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="requests", db_index=False)
    action = models.CharField(max_length=200)
    source = models.CharField(max_length=16, choices=Source)
    status = models.CharField(max_length=16, choices=Status, default=Status.PENDING)
    #: Who called, when it was a key: proof, where an author is only a label.
    passname = models.CharField(max_length=64, blank=True)
    input = JsonText(default=dict)
    output = JsonText(null=True)
    #: ``{code, message, status, …}`` of a failed request.
    error = JsonText(null=True)
    metadata = JsonText(default=dict)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    #: Runs one at a time per session, in arrival order.
    serial = models.BooleanField(default=False)
    reads = models.BooleanField(default=False)
    counted = models.SmallIntegerField(choices=Counted, default=Counted.NO)
    attempts = models.IntegerField(default=0)
    #: The claim: who runs it (a token of the run) and until when, unless renewed.
    claimed_by = models.CharField(max_length=64, blank=True)
    lease_until = models.DateTimeField(null=True)
    abort_requested_at = models.DateTimeField(null=True)
    parent_uid = models.UUIDField(null=True)
    #: The first request of everything that descends from one line of a user.
    chain_uid = models.UUIDField(null=True)
    retry_of_uid = models.UUIDField(null=True)
    #: One hand-off is one row, also when the fan-out that writes it runs twice.
    dispatch_key = models.CharField(max_length=400, null=True, unique=True)
    input_tokens = models.IntegerField(default=0)
    output_tokens = models.IntegerField(default=0)

    class Meta:
        indexes = [
            # a session's requests, newest first
            models.Index(fields=["session", "-id"], name="request_of_session"),
            # the history window: the last counted requests of a session
            models.Index(fields=["session", "-id"], condition=Q(counted__gt=0), name="request_counted"),
            # the sweep: what is pending or whose run lost its lease, oldest first
            models.Index(
                fields=["id"], condition=Q(status__in=["pending", "in_progress"]), name="request_due"
            ),
            # the head of a session's serial queue; which children work
            models.Index(
                fields=["session", "id"],
                condition=Q(status__in=["pending", "in_progress"]),
                name="request_unfinished",
            ),
            # what failed lately, everywhere and in one session (admin)
            models.Index(fields=["-ended_at"], condition=Q(status="failed"), name="request_failed"),
            models.Index(fields=["session", "-id"], condition=Q(status="failed"), name="request_failed_here"),
            # what was retried (admin)
            models.Index(
                fields=["retry_of_uid"], condition=Q(retry_of_uid__isnull=False), name="request_retries"
            ),
            # the pruning of reads
            models.Index(fields=["created_at"], condition=Q(reads=True), name="request_reads"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.uid}"

    @property
    def finished(self) -> bool:
        return self.status not in self.UNFINISHED
