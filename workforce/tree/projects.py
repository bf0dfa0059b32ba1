"""``org/resources/projects.yaml``: the room template of the projects. See docs/tree.md."""

from __future__ import annotations

from workforce.tree.files import read_text
from workforce.tree.frontmatter import check_no_nul
from workforce.tree.problems import Layer, LoadFailure, ProblemKind
from workforce.tree.records import Record
from workforce.tree.walking import Listing, Walk
from workforce.tree.yaml_core import load_mapping

PROJECTS_FILE = "projects.yaml"


def read_projects(walk: Walk, slot: str, listing: Listing) -> Record | None:
    """The mapping in ``projects.yaml`` of a listed ``resources`` folder; its keys are judged at binding."""
    if PROJECTS_FILE not in listing:
        return None
    path = f"{slot}/{PROJECTS_FILE}"
    try:
        text = read_text(walk.locate(path), PROJECTS_FILE)
        check_no_nul(text)
        declared = load_mapping(text, what=PROJECTS_FILE)
    except LoadFailure as failure:
        walk.report(path, Layer.PROJECTS, ProblemKind.PROJECTS_LOAD_FAILED, failure.words)
        return None
    return Record("projects", path, declared, "")
