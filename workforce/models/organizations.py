"""Organizations and who belongs to them."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from workforce import clock


class Organization(models.Model):
    """A wall: nothing of one organization can be seen from another."""

    slug = models.CharField(max_length=64, unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=clock.now, editable=False)

    def __str__(self) -> str:
        return self.slug


class Membership(models.Model):
    """A user's place in an organization; the default one decides where a browser session works."""

    class Role(models.TextChoices):
        OWNER = "owner", "owner"
        OPERATOR = "operator", "operator"
        MEMBER = "member", "member"

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role, default=Role.MEMBER)
    is_default = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "user"], name="one_membership_per_organization"),
            models.UniqueConstraint(
                fields=["user"], condition=models.Q(is_default=True), name="one_default_membership"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.organization} ({self.role})"
