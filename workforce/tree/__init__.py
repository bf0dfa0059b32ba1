"""Reading a workforce tree: records and problems, nothing opened and nobody hired. See docs/tree.md."""

from __future__ import annotations

from workforce.tree.documents import read_documents
from workforce.tree.problems import Layer, Problem, ProblemKind, TreeUnreadable
from workforce.tree.projects import read_projects
from workforce.tree.records import Place, Record, RecordKind, read_record_folder, read_record_folders
from workforce.tree.teams import TeamFolder, list_teams, read_team
from workforce.tree.walking import Shape, Walk, open_tree
from workforce.tree.workers import read_workers

__all__ = [
    "Layer",
    "Place",
    "Problem",
    "ProblemKind",
    "Record",
    "RecordKind",
    "Shape",
    "TeamFolder",
    "TreeUnreadable",
    "Walk",
    "list_teams",
    "open_tree",
    "read_documents",
    "read_projects",
    "read_record_folder",
    "read_record_folders",
    "read_team",
    "read_workers",
]
