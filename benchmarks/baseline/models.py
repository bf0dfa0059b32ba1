from __future__ import annotations

from django.db import models


class Row(models.Model):
    """One row, as small as a stored message can be."""

    mailbox = models.CharField(max_length=200, db_index=True)
    body = models.TextField()
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.mailbox
