"""The filters of a board's rows."""

from __future__ import annotations

import django_filters
from django.db.models import Exists, OuterRef, Q, QuerySet

from boards.models import Task, TaskLabel

#: What a list can be ordered by, and the column of it; ``-`` before the name turns it round.
ORDERINGS = {"createdAt": "created_at", "updatedAt": "updated_at", "priority": "rank"}
ORDERING_WORDS = [word for name in ORDERINGS for word in (name, f"-{name}")]


class TaskFilters(django_filters.FilterSet):
    """Rows by status, assignee, label, and words of goal and title; ``ordering`` is only checked here."""

    status = django_filters.ChoiceFilter(choices=[(s.value, s.value) for s in Task.Status])
    assignee = django_filters.CharFilter(max_length=130)
    label = django_filters.CharFilter(method="labelled", max_length=64)
    q = django_filters.CharFilter(method="search", max_length=200)
    ordering = django_filters.ChoiceFilter(
        choices=[(word, word) for word in ORDERING_WORDS], method="ordered"
    )

    class Meta:
        model = Task
        fields: list[str] = []

    def labelled(self, rows: QuerySet[Task], name: str, value: str) -> QuerySet[Task]:
        return rows.filter(Exists(TaskLabel.objects.filter(task=OuterRef("pk"), label=value)))

    def search(self, rows: QuerySet[Task], name: str, value: str) -> QuerySet[Task]:
        for word in value.split():
            rows = rows.filter(Q(goal__icontains=word) | Q(title__icontains=word))
        return rows

    def ordered(self, rows: QuerySet[Task], name: str, value: str) -> QuerySet[Task]:
        return rows  # the page orders, together with its cursor
