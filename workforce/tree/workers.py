"""WORKER.md files: the seats of the organization and of the teams. See docs/tree.md."""

from __future__ import annotations

from workforce.tree.problems import Layer, ProblemKind
from workforce.tree.records import Record, RecordKind, read_record_folders
from workforce.tree.walking import Shape, Walk

WORKER = RecordKind(
    layer=Layer.WORKER,
    failure=ProblemKind.WORKER_LOAD_FAILED,
    file_name="WORKER.md",
    refused={
        "persona": "write it in the text below the frontmatter",
        "seatSkills": "remove it",
        "seatTools": "list the tools under 'tools'",
        "teamInstructions": "write them in the text of the team's TEAM.md",
    },
)


def read_workers(walk: Walk, slot: str, shape: Shape | None, team: str | None) -> list[Record]:
    """The workers of one ``workers`` folder, with ids ``<name>`` or ``<team>.<name>``."""
    return read_record_folders(walk, slot, walk.list_slot(slot, shape, Layer.WORKER), team, WORKER)
