"""Who gets digests, how often, and where to; the row is also the lock of sending them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from workforce import clock
from workforce.models import Actor, Organization


class DigestSubscription(models.Model):
    """Digests of one actor or one user over one channel.

    ``next_at`` is when somebody should send next: whoever moves it ahead has the digest, for as long as that lasts.
    ``sending_until`` is there while one is being sent, so that what a dead process left is known for it.
    """

    class Cadence(models.TextChoices):
        HOURLY = "hourly", "every hour"
        DAILY = "daily", "every day"
        WEEKLY = "weekly", "every week"

    class Channel(models.TextChoices):
        EMAIL = "email", "e-mail"
        TELEGRAM = "telegram", "Telegram"

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+", db_index=False)
    #: Whose they are: an actor's when it is there, else the user's.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    actor = models.ForeignKey(Actor, null=True, on_delete=models.CASCADE, related_name="+")
    channel = models.CharField(max_length=16, choices=Channel)
    #: An e-mail address, or the id of a Telegram chat.
    address = models.CharField(max_length=254)
    cadence = models.CharField(max_length=16, choices=Cadence)
    created_at = models.DateTimeField(default=clock.now, editable=False)
    #: What was sent until then was told of, or was not to be.
    covered_until = models.DateTimeField(default=clock.now)
    next_at = models.DateTimeField()
    sending_until = models.DateTimeField(null=True)
    #: The digest being sent was begun before, by a process that ended without a word.
    repeated = models.BooleanField(default=False)
    last_sent_at = models.DateTimeField(null=True)
    #: Tries that failed since one succeeded, and what the last of them said.
    attempts = models.IntegerField(default=0)
    error = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "user", "channel"],
                condition=Q(actor__isnull=True),
                name="one_digest_per_user_and_channel",
            ),
            models.UniqueConstraint(
                fields=["actor", "channel"],
                condition=Q(actor__isnull=False),
                name="one_digest_per_actor_and_channel",
            ),
        ]
        indexes = [
            # what is due, by the sweep
            models.Index(fields=["next_at"], name="digest_due"),
        ]

    def __str__(self) -> str:
        return f"{self.cadence} digest of {self.subscriber} by {self.get_channel_display()}"

    @property
    def subscriber(self) -> str:
        """The passname or the username."""
        return self.actor.passname if self.actor else self.user.username
