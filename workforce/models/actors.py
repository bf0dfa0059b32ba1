"""Actors (named participants) and their keys."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from workforce import clock
from workforce.models.fields import JsonText
from workforce.models.organizations import Organization


class Grant(models.TextChoices):
    """What a key may do; without the one a call needs it is refused by name."""

    INBOX_READ = "inbox:read", "read the inbox"
    INBOX_WRITE = "inbox:write", "send in the inbox"
    FLOWS_READ = "flows:read", "read sessions"
    FLOWS_WRITE = "flows:write", "run actions"
    BOARDS_READ = "boards:read", "read boards"
    BOARDS_WRITE = "boards:write", "work boards"


class Actor(models.Model):
    """A named participant of an organization that calls with keys. The name gives no right."""

    class Kind(models.TextChoices):
        AGENT = "agent", "agent"
        PERSON = "person", "person"

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="actors")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="actors")
    passname = models.CharField(max_length=64)
    display_name = models.CharField(max_length=200, blank=True)
    kind = models.CharField(max_length=16, choices=Kind, default=Kind.AGENT)
    #: The worker id of the seat that this actor is the outside of, or empty.
    seat_id = models.CharField(max_length=130, blank=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    frozen_at = models.DateTimeField(null=True, blank=True)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            # Never reused: an actor is retired, not deleted.
            models.UniqueConstraint(fields=["organization", "passname"], name="one_actor_per_passname"),
        ]

    def __str__(self) -> str:
        return self.passname


class Key(models.Model):
    """An actor's credential. Only the hash of the secret is kept; it is shown once, when issued."""

    actor = models.ForeignKey(Actor, on_delete=models.CASCADE, related_name="keys")
    #: Visible part, lower-case hex; the look-up is by it.
    prefix = models.CharField(max_length=16, unique=True)
    #: SHA-256 of the secret: it is random, so a slow password hash would protect nothing.
    digest = models.CharField(max_length=64, editable=False)
    grants = JsonText(default=list)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"wfk_{self.prefix}_…"
