"""Task rows, what they wait for, and their history."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from boards.models.boards import Board
from boards.transitions import Status
from workforce import clock
from workforce.models import JsonText

_READY = Q(status="pending", unmet=0)


class Task(models.Model):
    """One row of a board: somebody takes it and finishes it. See docs/boards.md.

    ``revision`` rises with every committed change; every change is conditional on the revision it read, so
    two writers never undo each other. ``claim_number`` only ever rises and is what a ticket stands for.
    Renewing a lease and counting ``unmet`` down are no changes: nothing that is shown in lists differs.
    """

    Status = Status

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="tasks", db_index=False)
    #: The id on the wire; minted, never chosen.
    task_id = models.CharField(max_length=64)
    goal = models.TextField()
    title = models.CharField(max_length=200, blank=True)
    context = models.TextField(blank=True)
    status = models.CharField(
        max_length=16, choices=[(s.value, s.value) for s in Status], default=Status.PENDING
    )
    #: A worker key of the board: a routing key, not who holds the claim.
    assignee = models.CharField(max_length=130, blank=True)
    priority = models.FloatField(null=True)
    #: ``priority`` with none as 0: the order of claims.
    rank = models.FloatField(default=0)
    attempts = models.IntegerField(default=0)
    max_attempts = models.IntegerField(null=True)
    abandonments = models.IntegerField(default=0)
    #: How many of its deps are not completed.
    unmet = models.IntegerField(default=0)
    labels = JsonText(default=list)
    input = JsonText(null=True)
    output = JsonText(null=True)
    error = models.TextField(blank=True)
    feedback = models.TextField(blank=True)
    metadata = JsonText(default=dict)
    author = models.CharField(max_length=200, blank=True)
    created_by = models.CharField(max_length=150)
    #: ``{sessionId, requestId, attempt}`` of the current or last attempt.
    run = JsonText(null=True)
    retry_of = models.CharField(max_length=64, blank=True)
    #: The ended row in whose session this one is worked.
    follow_up_of = models.CharField(max_length=64, blank=True)
    revision = models.BigIntegerField(default=1)
    created_at = models.DateTimeField(default=clock.now)
    updated_at = models.DateTimeField(default=clock.now)
    started_at = models.DateTimeField(null=True)
    completed_at = models.DateTimeField(null=True)

    claim_number = models.BigIntegerField(default=0)
    claimed_by = models.CharField(max_length=200, blank=True)
    lease_seconds = models.IntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    #: A digest of the ticket and content of the last call with which a holder gave the row out of its hands,
    #: so that the same call again, after a lost answer, is answered as done.
    settled_with = models.CharField(max_length=64, blank=True)
    #: Of which effect of a worker's turn it is, so that a turn that runs again files no second row.
    origin_key = models.CharField(max_length=200, null=True)
    #: What it is filed in: the chain of the request that filed it.
    chain_uid = models.UUIDField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["board", "task_id"], name="one_task_per_id"),
            models.UniqueConstraint(
                fields=["board", "origin_key"],
                condition=Q(origin_key__isnull=False),
                name="one_task_per_origin",
            ),
        ]
        indexes = [
            # the next row to claim, of any worker key
            models.Index(fields=["board", "-rank", "created_at", "id"], condition=_READY, name="task_ready"),
            # the same of one worker key
            models.Index(
                fields=["board", "assignee", "-rank", "created_at", "id"],
                condition=_READY & ~Q(assignee=""),
                name="task_ready_by_assignee",
            ),
            # claims that take back what lapsed, and the sweep
            models.Index(
                fields=["board", "lease_until"], condition=Q(status="in_progress"), name="task_lapsed"
            ),
            # lists, newest first, and by status
            models.Index(fields=["board", "-created_at", "-id"], name="task_newest"),
            models.Index(fields=["board", "status", "-created_at", "-id"], name="task_by_status"),
            models.Index(
                fields=["board", "assignee", "-created_at", "-id"],
                condition=~Q(assignee=""),
                name="task_by_assignee",
            ),
            # lists by ?ordering=updatedAt and priority, either way round
            models.Index(fields=["board", "-updated_at", "-id"], name="task_by_change"),
            models.Index(fields=["board", "-rank", "-id"], name="task_by_rank"),
            # the row that repeats an ended one
            models.Index(fields=["board", "retry_of"], condition=~Q(retry_of=""), name="task_by_retried"),
            # the figures of a board: what ended since its last tally
            models.Index(
                fields=["board", "status", "completed_at"],
                condition=Q(completed_at__isnull=False),
                name="task_ended",
            ),
            # the admin's list of what failed or was cancelled, on all boards; other statuses are quick to find
            models.Index(
                fields=["status", "-id"], condition=Q(status__in=["errored", "cancelled"]), name="task_fallen"
            ),
        ]

    def __str__(self) -> str:
        return self.task_id


class TaskLabel(models.Model):
    """A label of a row, as something that can be looked up."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="label_rows")
    label = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["label", "task"], name="one_label_per_task")]

    def __str__(self) -> str:
        return self.label


class TaskDep(models.Model):
    """A row that another row of the board waits for."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="dep_rows", db_index=False)
    dep = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="dependent_rows")
    position = models.IntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["task", "dep"], name="one_dep_per_task")]

    def __str__(self) -> str:
        return f"{self.task_id} after {self.dep_id}"


class TaskEvent(models.Model):
    """One committed change of a row. Append-only, for operators too."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="events", db_index=False)
    kind = models.CharField(max_length=32)
    at = models.DateTimeField(default=clock.now)
    principal = models.CharField(max_length=150, blank=True)
    passname = models.CharField(max_length=64, blank=True)
    seat = models.CharField(max_length=130, blank=True)
    from_status = models.CharField(max_length=16, blank=True)
    to_status = models.CharField(max_length=16)
    #: The fields that changed, with their new values, as far as they may be seen.
    changes = JsonText(default=dict)
    revision = models.BigIntegerField()
    #: Whether what holds the board has shown this change.
    told = models.BooleanField(default=False)

    class Meta:
        ordering = ["id"]
        indexes = [
            # a row's history
            models.Index(fields=["task", "id"], name="event_of_task"),
            # the changes that are still to be told
            models.Index(fields=["id"], condition=Q(told=False), name="event_untold"),
        ]

    def __str__(self) -> str:
        return self.kind
