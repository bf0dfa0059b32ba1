"""The folders in ``teams``, and their TEAM.md. See docs/tree.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workforce.tree.problems import Layer, ProblemKind
from workforce.tree.records import Place, Record, RecordKind, read_record
from workforce.tree.walking import Listing, Shape, Walk

TEAM = RecordKind(
    layer=Layer.TEAM,
    failure=ProblemKind.TEAM_LOAD_FAILED,
    file_name="TEAM.md",
    refused={
        "id": "the folder's name is the id; remove it",
        "flow": "a team runs nothing; remove it, or write it in a WORKER.md",
        "instructions": "write them in the text below the frontmatter",
        "teamInstructions": "write them in the text below the frontmatter",
    },
)


@dataclass(frozen=True, slots=True)
class TeamFolder:
    """One folder in ``teams``, listed once for all that is read from it; its name is not checked yet."""

    name: str
    path: str
    listing: Listing


def list_teams(walk: Walk) -> Iterator[TeamFolder]:
    """The folders in ``teams`` by name. Loose files are passed over; a link is an unreadable slot."""
    for name, shape in walk.list_slot("teams", walk.listing.get("teams"), Layer.TEAM).items():
        if shape not in (Shape.FILE, Shape.SPECIAL):
            path = f"teams/{name}"
            yield TeamFolder(name, path, walk.list_slot(path, shape, Layer.TEAM))


def read_team(walk: Walk, team: TeamFolder) -> Record | None:
    """The team's TEAM.md, which is optional."""
    if team.listing.get(TEAM.file_name) is None:
        return None
    return read_record(
        walk, Place(team.path, team.name, None), Shape.FOLDER, TEAM, f"{team.path}/{TEAM.file_name}"
    )
