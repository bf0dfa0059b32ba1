"""Live declarations: what the files of the last load say. See docs/mailboxes.md."""

from __future__ import annotations

from django.db import models

from workforce import clock
from workforce.models import JsonText, Organization


class Declaration(models.Model):
    """One ``MAILBOX.md`` as it was loaded last.

    Members, charter, description and kind count at opening only (the session has its own); boards,
    routing and board actions are settled at every load.
    """

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="declarations")
    mailbox_id = models.CharField(max_length=130)
    kind = models.CharField(max_length=64)
    description = models.TextField(blank=True)
    members = JsonText(default=list)
    charter = models.TextField(blank=True)
    boards = JsonText(default=list)
    #: The member that takes a post nobody fits; routed when there is one.
    fallback = models.CharField(max_length=130, blank=True)
    board_actions = models.BooleanField(default=False)
    #: A template's id is never opened.
    is_template = models.BooleanField(default=False)
    #: False when the record left the tree: the mailbox stays open, its boards and routing do not apply.
    live = models.BooleanField(default=True)
    loaded_at = models.DateTimeField(default=clock.now)

    class Meta:
        ordering = ["mailbox_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "mailbox_id"], name="one_declaration_per_mailbox"
            ),
        ]

    def __str__(self) -> str:
        return self.mailbox_id


class RoomTemplate(models.Model):
    """What every project's room of the organization is built from; at most one."""

    organization = models.OneToOneField(Organization, on_delete=models.CASCADE, related_name="room_template")
    #: The file that declares it.
    site = models.CharField(max_length=200)
    seats = JsonText(default=list)
    charter = models.TextField(blank=True)
    loaded_at = models.DateTimeField(default=clock.now)

    def __str__(self) -> str:
        return self.site
