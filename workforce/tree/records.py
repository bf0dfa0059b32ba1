"""Reading one declared record, whatever its kind: the checks and their order. See docs/tree.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workforce.names import check_name
from workforce.texts import is_blank
from workforce.tree.files import read_text
from workforce.tree.frontmatter import parse_record
from workforce.tree.problems import Layer, LoadFailure, ProblemKind
from workforce.tree.walking import Listing, Shape, Walk


@dataclass(frozen=True, slots=True)
class Record:
    """One file as it was declared; ``path`` is its folder, or the file itself where a file is a record."""

    id: str
    path: str
    declared: dict[str, Any]
    body: str


@dataclass(frozen=True, slots=True)
class RecordKind:
    """A kind of record: what its file is called, and the keys refused at reading, each with the mend."""

    layer: Layer
    failure: ProblemKind
    file_name: str
    refused: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands: its path in the tree, the name that it gives, and the team it is in, if any."""

    path: str
    name: str
    team: str | None

    @property
    def id(self) -> str:
        return self.name if self.team is None else f"{self.team}.{self.name}"


def read_record_folders(
    walk: Walk, slot: str, listing: Listing, team: str | None, kind: RecordKind
) -> list[Record]:
    """The records in the folders of one slot; what fails is reported on ``walk``."""
    found = (
        read_record_folder(walk, Place(f"{slot}/{name}", name, team), listing[name], kind) for name in listing
    )
    return [record for record in found if record is not None]


def read_record_folder(walk: Walk, place: Place, shape: Shape, kind: RecordKind) -> Record | None:
    """The record in the folder at ``place``; None for a loose file, and for what is reported on ``walk``."""
    if shape in (Shape.FILE, Shape.SPECIAL):
        return None
    return read_record(walk, place, shape, kind, f"{place.path}/{kind.file_name}")


def read_record(walk: Walk, place: Place, shape: Shape, kind: RecordKind, file: str) -> Record | None:
    """The record in ``file``, or None and exactly one problem at ``place``."""
    try:
        _check_place(place, shape, kind)
        text = read_text(walk.locate(file), kind.file_name)
        declared, body = parse_record(text)
        _check_description(declared)
    except LoadFailure as failure:
        walk.report(place.path, kind.layer, kind.failure, failure.words)
        return None
    mends = [
        f"'{key}' may not be declared here: {mend}" for key, mend in kind.refused.items() if key in declared
    ]
    if mends:
        walk.report(place.path, kind.layer, ProblemKind.REFUSED_DECLARATION, "; ".join(mends))
        return None
    return Record(place.id, place.path, declared, body)


def _check_place(place: Place, shape: Shape, kind: RecordKind) -> None:
    if shape is Shape.LINK:
        raise LoadFailure("this is a symbolic link, and links are never followed; put the real one there")
    if shape is Shape.UNKNOWN:
        raise LoadFailure("this cannot be read; check its permissions")
    fault = None if place.team is None else check_name("team folder", place.team)
    if fault is None:
        fault = check_name(
            "document file" if kind.layer is Layer.DOCUMENT else f"{kind.layer} folder", place.name
        )
    if fault is not None:
        raise LoadFailure(fault)


def _check_description(declared: Mapping[str, Any]) -> None:
    if "description" not in declared:
        raise LoadFailure("'description' is missing; add a line 'description: …' to the frontmatter")
    description = declared["description"]
    if not isinstance(description, str):
        raise LoadFailure("'description' must be text; put quotes around it")
    if is_blank(description):
        raise LoadFailure("'description' is blank; say in a few words what this is for")
