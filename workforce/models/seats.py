"""Seats: workers hired into an organization."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from workforce import clock
from workforce.models.fields import JsonText
from workforce.models.organizations import Organization
from workforce.names import team_of


class Seat(models.Model):
    """A worker that can be addressed by its id, with settings frozen at the hire.

    Without an owner it is a standard worker, read from the tree; with one it is that user's own hire.
    """

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="seats")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="seats"
    )
    seat_id = models.CharField("worker id", max_length=130)
    kind = models.CharField(max_length=64)
    description = models.TextField()
    instructions = models.TextField(blank=True)
    team_instructions = models.TextField(blank=True)
    #: Of a user's fork: the team of the worker that it was forked from.
    forked_team = models.CharField(max_length=64, blank=True)
    settings = JsonText(default=dict, lenient=True)
    hired_at = models.DateTimeField(default=clock.now)
    changed_at = models.DateTimeField(default=clock.now)
    #: Set when the worker left the tree or was fired: its conversations stay, no new turn runs as it.
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["seat_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "seat_id"],
                condition=models.Q(owner=None),
                name="one_standard_seat_per_id",
            ),
            models.UniqueConstraint(
                fields=["organization", "owner", "seat_id"],
                condition=models.Q(owner__isnull=False),
                name="one_own_seat_per_id",
            ),
        ]

    def __str__(self) -> str:
        return self.seat_id

    @property
    def team(self) -> str:
        """The team that the seat belongs to, or empty. A user's own is in none, unless it is a fork of a team's."""
        return self.forked_team if self.owner_id is not None else team_of(self.seat_id) or ""
