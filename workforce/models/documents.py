"""Documents: texts that seats can read."""

from __future__ import annotations

from django.db import models

from workforce import clock
from workforce.models.organizations import Organization


class Document(models.Model):
    """A Markdown file of the tree, installed for the organization or for one team."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="documents")
    #: The name for the organization's, ``<team>.<name>`` for a team's.
    document_id = models.CharField(max_length=130)
    team = models.CharField(max_length=64, blank=True)
    description = models.TextField()
    body = models.TextField(blank=True)
    changed_at = models.DateTimeField(default=clock.now)
    retired_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["document_id"]
        constraints = [
            models.UniqueConstraint(fields=["organization", "document_id"], name="one_document_per_id"),
        ]

    def __str__(self) -> str:
        return self.document_id
