"""Items: what a session shows, in order."""

from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from workforce import clock
from workforce.ids import new_uuid
from workforce.models.fields import JsonText
from workforce.models.requests import Request
from workforce.models.sessions import Session

#: The component of a mailbox's transcript line.
LINE = "mailbox-post"


class Item(models.Model):
    """One thing that a session shows. Never changed, never deleted alone.

    A transcript line keeps its parts in columns of their own (``line_seq`` to ``body``); every other
    item keeps them in ``data``.
    """

    class Type(models.TextChoices):
        MESSAGE = "message", "message"
        TOOL_OUTPUT = "tool_output", "tool output"
        ERROR = "error", "error"
        COMPONENT = "component", "component"

    #: On a line this is the line's id, the ``postId`` elsewhere.
    id = models.UUIDField(primary_key=True, default=new_uuid, editable=False)
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="items", db_index=False)
    seq = models.BigIntegerField()
    type = models.CharField(max_length=16, choices=Type)
    component = models.CharField(max_length=64, blank=True)
    request = models.ForeignKey(Request, to_field="uid", on_delete=models.CASCADE, related_name="items")
    at = models.DateTimeField(default=clock.now)
    data = JsonText(null=True)

    line_seq = models.BigIntegerField(null=True)
    principal = models.CharField(max_length=150, blank=True)
    author = models.CharField(max_length=130, blank=True)
    passname = models.CharField(max_length=64, blank=True)
    seat_authored = models.BooleanField(default=False)
    body = models.TextField(blank=True)

    class Meta:
        constraints = [
            # the order of a session, its cursors and Last-Event-ID
            models.UniqueConstraint(fields=["session", "seq"], name="one_item_per_seq"),
            # a mailbox's lines, gapless; the history window is a range of it
            models.UniqueConstraint(
                fields=["session", "line_seq"], condition=Q(line_seq__isnull=False), name="one_line_per_seq"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.seq}"

    @property
    def request_uid(self) -> uuid.UUID:
        return self.request_id
