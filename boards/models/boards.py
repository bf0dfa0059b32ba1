"""Boards: ledgers of task rows."""

from __future__ import annotations

from django.db import models

from workforce import clock
from workforce.models import Organization, Session


class Board(models.Model):
    """A ledger that a mailbox holds, at organization scope, or a conversation's own, which is private to it.

    Its id is minted from the mailbox's, or from the conversation's key.
    """

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="boards")
    board_id = models.CharField(max_length=200)
    #: Empty for a conversation's own board.
    mailbox_id = models.CharField(max_length=130)
    #: The conversation that the board belongs to and goes with; its worker files the rows.
    session = models.OneToOneField(
        Session, on_delete=models.CASCADE, null=True, blank=True, related_name="board"
    )
    name = models.CharField(max_length=64)
    #: Whether the mailbox's file opens the eight tools as actions; settled at every load.
    actions = models.BooleanField(default=False)
    #: Whether a declaration holds it today; a board that left the tree keeps its rows.
    live = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ["board_id"]
        constraints = [models.UniqueConstraint(fields=["organization", "board_id"], name="one_board_per_id")]
        # the boards that a mailbox holds
        indexes = [models.Index(fields=["organization", "mailbox_id"], name="board_by_mailbox")]

    def __str__(self) -> str:
        return self.board_id


class BoardWorker(models.Model):
    """A worker that drains the board, under the key by which rows are assigned to it. Settled at every load."""

    board = models.ForeignKey(Board, on_delete=models.CASCADE, related_name="workers", db_index=False)
    worker_id = models.CharField(max_length=130)
    #: The worker's local name, or its id where two workers of the board have one local name.
    key = models.CharField(max_length=130)

    class Meta:
        ordering = ["key"]
        constraints = [
            models.UniqueConstraint(fields=["board", "worker_id"], name="one_key_per_board_worker")
        ]

    def __str__(self) -> str:
        return self.key
