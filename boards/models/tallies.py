"""How many rows of a board had ended until some moment."""

from __future__ import annotations

from django.db import models

from boards.models.boards import Board


class Tally(models.Model):
    """The rows of a board that ended before ``until``, by ending, so that its figures need not count them again."""

    board = models.OneToOneField(Board, on_delete=models.CASCADE, primary_key=True, related_name="tally")
    completed = models.BigIntegerField(default=0)
    errored = models.BigIntegerField(default=0)
    cancelled = models.BigIntegerField(default=0)
    until = models.DateTimeField(db_index=True)

    class Meta:
        verbose_name_plural = "tallies"

    def __str__(self) -> str:
        return f"{self.board_id} until {self.until:%Y-%m-%d %H:%M}"
