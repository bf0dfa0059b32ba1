"""Where posts went, and which line answered each. See docs/routing.md."""

from __future__ import annotations

from django.db import models

from workforce.models import Item


class Placement(models.Model):
    """Where one person's post in a routed mailbox went: decided once, in the transaction that wakes the member."""

    class By(models.TextChoices):
        HELD = "held", "held"
        EVALUATED = "evaluated", "evaluated"
        FALLBACK = "fallback", "fallback"
        FAILED = "failed", "failed"

    post = models.OneToOneField(Item, on_delete=models.CASCADE, primary_key=True, related_name="placement")
    by = models.CharField(max_length=16, choices=By)
    #: Empty when it went to nobody.
    member = models.CharField(max_length=130, blank=True)
    reason = models.TextField(blank=True)
    #: How sure the evaluator was, when it said so.
    score = models.FloatField(null=True)

    def __str__(self) -> str:
        return f"{self.by} {self.member}"


class Answer(models.Model):
    """The one line that answers a post: the database keeps a second one out, whoever comes at the same moment."""

    post = models.OneToOneField(Item, on_delete=models.CASCADE, primary_key=True, related_name="answer")
    line = models.OneToOneField(Item, on_delete=models.CASCADE, related_name="answers")

    def __str__(self) -> str:
        return str(self.line_id)
