"""The rows of a board as cards, each with what can be done to it: a constant number of queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count
from django.urls import reverse

from boards.admin.acts import Act, acts_for
from boards.admin.columns import STATUS_COLOURS, STATUS_WORDS, column_of
from boards.models import Task, TaskDep
from boards.selectors.workers import is_orphaned
from boards.transitions import Status
from workforce import clock
from workforce.admin.shown import ago, page_of, shortened, storable

#: The columns of a row that no card shows, and that can be large.
LARGE = ("context", "input", "output", "metadata")
_FALLEN = (Status.ERRORED, Status.CANCELLED)


@dataclass(frozen=True, slots=True)
class Link:
    """An act on a card: the address of its form, and the column that it would take the card to."""

    act: Act
    url: str
    column: str


@dataclass(frozen=True, slots=True)
class Card:
    """What a card shows beside the row itself.

    ``stuck_on`` are ids of rows that will never complete; an orphaned row is open, and assigned to no worker of its
    board.
    """

    task: Task
    links: list[Link]
    stuck_on: list[str]
    dependents: int
    is_orphaned: bool

    @property
    def url(self) -> str:
        return page_of(self.task)

    @property
    def name(self) -> str:
        return name_of(self.task)

    @property
    def age(self) -> str:
        return ago(self.task.created_at)

    @property
    def until(self) -> str:
        """When the lease of its holder ends, or ended."""
        return ago(self.task.lease_until)

    @property
    def goal(self) -> str:
        """The beginning of the goal, where the title does not say it already."""
        return storable(shortened(self.task.goal, 160)) if self.task.title else ""

    @property
    def word(self) -> str:
        return STATUS_WORDS[self.task.status]

    @property
    def colour(self) -> str:
        return STATUS_COLOURS[self.task.status]

    @property
    def column(self) -> str:
        return column_of(self.task.status).name

    @property
    def is_lapsed(self) -> bool:
        until = self.task.lease_until
        return self.task.status == Status.IN_PROGRESS and until is not None and until <= clock.now()

    @property
    def note(self) -> str:
        """Why it stands where it stands: a park's question, an error, a reason."""
        task = self.task
        shown = task.error if task.status in (*_FALLEN, Status.BLOCKED) else ""
        shown = shown or (task.feedback if task.status in (Status.PARKED, Status.PENDING) else "")
        return storable(shortened(shown, 200))

    @property
    def note_word(self) -> str:
        """What the note is."""
        words = {Status.PARKED: "asks", Status.ERRORED: "error", Status.PENDING: "before"}
        return words.get(Status(self.task.status), "reason")

    @property
    def moves(self) -> str:
        """The columns that a legal move leads to, as words."""
        return " ".join(dict.fromkeys(link.column for link in self.links if link.column))


def name_of(task: Task) -> str:
    """What people know a row by: its title, else the beginning of its goal."""
    return storable(task.title or shortened(task.goal, 120))


def cards_of(tasks: Sequence[Task], *, workers: Collection[str], back: str) -> list[Card]:
    """The rows of a board with these workers as cards; after an act, ``back`` is shown again. Two queries."""
    stuck, dependents = _stuck(tasks), _dependents(tasks)
    return [
        Card(
            task=task,
            links=links_of(task, back=back, dependents=dependents[task.pk]),
            stuck_on=stuck[task.pk],
            dependents=dependents[task.pk],
            is_orphaned=is_orphaned(task, workers),
        )
        for task in tasks
    ]


def links_of(task: Task, *, back: str, dependents: int) -> list[Link]:
    """The acts that fit the row now; skipping dependents only where some wait."""
    acts = [act for act in acts_for(task) if act.name != "skip-dependents" or dependents]
    return [Link(act, act_url(task, act, back=back), act.column(task)) for act in acts]


def act_url(task: Task, act: Act, **query: Any) -> str:
    """The address of an act's form, for the row as it was looked at."""
    asked = urlencode({"revision": task.revision, **query})
    return f"{reverse(f'admin:boards_task_{act.name}', args=[task.pk])}?{asked}"


def _stuck(tasks: Sequence[Task]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    waiting = [task.pk for task in tasks if task.status == Status.PENDING and task.unmet]
    rows = TaskDep.objects.filter(task__in=waiting, dep__status__in=_FALLEN)
    for pk, dep in rows.order_by("task_id", "position").values_list("task_id", "dep__task_id"):
        found[pk].append(dep)
    return found


def _dependents(tasks: Sequence[Task]) -> dict[int, int]:
    """How many queued rows wait directly for each of those that will never complete."""
    fallen = [task.pk for task in tasks if task.status in _FALLEN]
    rows = TaskDep.objects.filter(dep__in=fallen, task__status=Status.PENDING).order_by()
    return defaultdict(int, rows.values_list("dep_id").annotate(Count("pk")))
