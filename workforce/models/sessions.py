"""Sessions: conversations and other places where actions run."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from workforce import clock
from workforce.models.fields import JsonText
from workforce.models.organizations import Organization
from workforce.models.seats import Seat


class Session(models.Model):
    """One place where requests of one kind run, at an address of its organization. See docs/sessions.md.

    Owner and organization are fixed at creation. The row is the lock of everything serial in it; the
    two counters on it number the items (``item_seq``) and a mailbox's lines (``line_seq``).
    """

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    #: The id on the wire, unique in the organization.
    address = models.CharField(max_length=200)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=64)
    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, null=True, blank=True, related_name="sessions")
    parent = models.ForeignKey(
        "self", on_delete=models.CASCADE, null=True, blank=True, related_name="children"
    )
    #: What a child conversation is about; one per parent, seat and topic.
    topic = models.CharField(max_length=200, blank=True)
    title = models.CharField(max_length=200, blank=True)
    description = models.TextField(blank=True)
    tags = JsonText(default=list)
    metadata = JsonText(default=dict)
    #: What the kind keeps; empty for a session that nobody has bound.
    state = JsonText(default=dict)
    item_seq = models.BigIntegerField(default=0)
    line_seq = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    updated_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "address"], name="one_session_per_address"),
            models.UniqueConstraint(
                fields=["parent", "seat", "topic"],
                condition=~models.Q(topic=""),
                name="one_child_per_seat_and_topic",
            ),
        ]
        indexes = [
            # GET /api/sessions: a user's sessions, newest updated first
            models.Index(fields=["owner", "organization", "-updated_at", "-id"], name="session_newest"),
            # load_workforce and find_pre_rename: the sessions of one kind
            models.Index(fields=["organization", "kind"], name="session_by_kind"),
        ]

    def __str__(self) -> str:
        return self.address
