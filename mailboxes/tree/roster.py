"""All that a workforce tree declares, read in one walk. See docs/tree.md."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import attrgetter

from mailboxes.tree.mailboxes import read_mailboxes
from workforce.tree import (
    Layer,
    Problem,
    Record,
    TeamFolder,
    Walk,
    list_teams,
    open_tree,
    read_documents,
    read_projects,
    read_team,
    read_workers,
)


@dataclass(frozen=True, slots=True)
class Tree:
    """The records of a tree and what did not load, each sorted by path."""

    workers: tuple[Record, ...]
    teams: tuple[Record, ...]
    documents: tuple[Record, ...]
    projects: Record | None
    mailboxes: tuple[Record, ...]
    problems: tuple[Problem, ...]


def read_tree(root: str | os.PathLike[str], *, on_read: Callable[[int], object] | None = None) -> Tree:
    """Read the tree at ``root``. Opens nothing, hires nobody.

    A broken folder is a problem and costs no other. Raises TreeUnreadable only about the root itself.
    ``on_read`` is told after each team how many records were read so far.
    """
    found = _Found(open_tree(root))
    found.read_organization()
    for team in list_teams(found.walk):
        found.read_team(team)
        if on_read is not None:
            on_read(found.count)
    return Tree(
        workers=_by_path(found.workers),
        teams=_by_path(found.teams),
        documents=_by_path(found.documents),
        projects=found.projects,
        mailboxes=_by_path(found.mailboxes),
        problems=tuple(sorted(found.walk.problems)),
    )


@dataclass(slots=True)
class _Found:
    """The records so far."""

    walk: Walk
    workers: list[Record] = field(default_factory=list)
    teams: list[Record] = field(default_factory=list)
    documents: list[Record] = field(default_factory=list)
    projects: Record | None = None
    mailboxes: list[Record] = field(default_factory=list)

    @property
    def count(self) -> int:
        return sum(map(len, (self.workers, self.teams, self.documents, self.mailboxes)))

    def read_organization(self) -> None:
        walk = self.walk
        listing = walk.list_slot("org", walk.listing.get("org"), Layer.WORKER)
        self.workers += read_workers(walk, "org/workers", listing.get("workers"), None)
        resources = walk.list_slot("org/resources", listing.get("resources"), Layer.DOCUMENT)
        self.documents += read_documents(walk, "org/resources", resources, None)
        self.projects = read_projects(walk, "org/resources", resources)

    def read_team(self, team: TeamFolder) -> None:
        walk = self.walk
        record = read_team(walk, team)
        self.teams += [record] if record else []
        self.workers += read_workers(walk, f"{team.path}/workers", team.listing.get("workers"), team.name)
        self.mailboxes += read_mailboxes(walk, team)
        slot = f"{team.path}/resources"
        resources = walk.list_slot(slot, team.listing.get("resources"), Layer.DOCUMENT)
        self.documents += read_documents(walk, slot, resources, team.name)


def _by_path(records: Iterable[Record]) -> tuple[Record, ...]:
    return tuple(sorted(records, key=attrgetter("path")))
