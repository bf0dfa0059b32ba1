"""The inventory: what was registered here. Never pruned, and never what decides a call."""

from __future__ import annotations

from django.db import models

from workforce import clock
from workforce.models.fields import JsonText
from workforce.models.organizations import Organization


class InventorySeat(models.Model):
    """A seat that was hired here."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+", db_index=False)
    seat_id = models.CharField("worker id", max_length=130)
    kind = models.CharField(max_length=64)
    hired_at = models.DateTimeField(default=clock.now)

    class Meta:
        ordering = ["seat_id"]
        constraints = [models.UniqueConstraint(fields=["organization", "seat_id"], name="one_inventory_seat")]

    def __str__(self) -> str:
        return self.seat_id


class InventoryMailbox(models.Model):
    """A mailbox that was opened here, with the members of its session."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+", db_index=False)
    mailbox_id = models.CharField(max_length=130)
    kind = models.CharField(max_length=64)
    members = JsonText(default=list)
    opened_at = models.DateTimeField(default=clock.now)

    class Meta:
        ordering = ["mailbox_id"]
        verbose_name = "mailbox"
        verbose_name_plural = "mailboxes"
        constraints = [
            models.UniqueConstraint(fields=["organization", "mailbox_id"], name="one_inventory_mailbox")
        ]

    def __str__(self) -> str:
        return self.mailbox_id


class InventoryMembership(models.Model):
    """A seat's place in a mailbox: answers "which mailboxes is this seat in?"."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+", db_index=False)
    seat_id = models.CharField("worker id", max_length=130)
    mailbox_id = models.CharField(max_length=130)

    class Meta:
        ordering = ["seat_id", "mailbox_id"]
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "seat_id", "mailbox_id"], name="one_inventory_membership"
            ),
        ]
        # who is registered in this mailbox?
        indexes = [models.Index(fields=["organization", "mailbox_id"], name="membership_by_mailbox")]

    def __str__(self) -> str:
        return f"{self.seat_id} in {self.mailbox_id}"
