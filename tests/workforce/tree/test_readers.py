"""The readers of workers, teams, documents and projects, each on its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.workforce.tree.trees import GOOD, write
from workforce.tree import (
    Layer,
    Place,
    Record,
    Shape,
    list_teams,
    open_tree,
    read_documents,
    read_projects,
    read_record_folder,
    read_team,
    read_workers,
)
from workforce.tree.workers import WORKER

DECLARED = {"description": "What it is for."}


def test_read_workers__ids_of_organization_and_team(tmp_path: Path) -> None:
    write(tmp_path, {"org/workers/clerk/WORKER.md": GOOD, "teams/a/workers/clerk/WORKER.md": GOOD})
    walk = open_tree(tmp_path)
    assert read_workers(walk, "org/workers", Shape.FOLDER, None) == [
        Record("clerk", "org/workers/clerk", DECLARED, "The text.\n")
    ]
    assert read_workers(walk, "teams/a/workers", Shape.FOLDER, "a") == [
        Record("a.clerk", "teams/a/workers/clerk", DECLARED, "The text.\n")
    ]
    assert walk.problems == []


def test_read_record_folder__entry_that_the_system_does_not_describe(tmp_path: Path) -> None:
    write(tmp_path, {"org/workers/w/WORKER.md": GOOD})
    walk = open_tree(tmp_path)
    assert read_record_folder(walk, Place("org/workers/w", "w", None), Shape.UNKNOWN, WORKER) is None
    (problem,) = walk.problems
    assert (problem.path, problem.layer, problem.kind) == ("org/workers/w", "worker", "worker-load-failed")
    assert "cannot be read" in problem.message


def test_list_teams__folders_only(tmp_path: Path) -> None:
    write(tmp_path, {"teams/b/TEAM.md": GOOD, "teams/a/x": "x", "teams/loose.md": "x"})
    walk = open_tree(tmp_path)
    teams = list(list_teams(walk))
    assert [(team.name, team.path, list(team.listing)) for team in teams] == [
        ("a", "teams/a", ["x"]),
        ("b", "teams/b", ["TEAM.md"]),
    ]
    assert [read_team(walk, team) for team in teams] == [
        None,
        Record("b", "teams/b", DECLARED, "The text.\n"),
    ]
    assert walk.problems == []


def test_read_documents__only_what_ends_in_md(tmp_path: Path) -> None:
    write(
        tmp_path, {f"org/resources/{name}": GOOD for name in ("b.md", "a.md", "c.MD", "d.txt", "e", "f.yaml")}
    )
    walk = open_tree(tmp_path)
    listing = walk.list_slot("org/resources", Shape.FOLDER, Layer.DOCUMENT)
    assert [record.id for record in read_documents(walk, "org/resources", listing, None)] == ["a", "b"]
    assert [record.id for record in read_documents(walk, "org/resources", listing, "team")] == [
        "team.a",
        "team.b",
    ]
    assert walk.problems == []


@pytest.mark.parametrize(
    ("text", "declared"),
    [
        ("talk: {seats: [a.b], charter: On}\n", {"talk": {"seats": ["a.b"], "charter": "On"}}),
        (
            "\ufefftalk:\r\n  seats: no\r\nother: 2024-01-01\r\n",
            {"talk": {"seats": "no"}, "other": "2024-01-01"},
        ),
        ("{}", {}),
    ],
)
def test_read_projects__mapping_is_judged_later(tmp_path: Path, text: str, declared: dict[str, Any]) -> None:
    write(tmp_path, {"org/resources/projects.yaml": text})
    walk = open_tree(tmp_path)
    record = read_projects(walk, "org/resources", {"projects.yaml": Shape.FILE})
    assert record == Record("projects", "org/resources/projects.yaml", declared, "")
    assert walk.problems == []


def test_read_projects__absent(tmp_path: Path) -> None:
    walk = open_tree(tmp_path)
    assert read_projects(walk, "org/resources", {}) is None
    assert walk.problems == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("- a\n", "line 1, column 1: it must be a mapping"),
        ("---\nfoo\n", "must be a mapping"),
        ("talk:\n  seats: [@x]\n", "line 2, column 11"),
        ("talk: 1\ntalk: 2\n", "line 2, column 1: the key 'talk' is there twice"),
        ("talk: 1\0\n", "line 1, column 8: a NUL"),
        (b"talk: \xff\n", "is not UTF-8"),
        (b"#" * 262_145, "262,144"),
    ],
)
def test_read_projects__fails_at_its_own_path(tmp_path: Path, text: str | bytes, words: str) -> None:
    write(tmp_path, {"org/resources/projects.yaml": text})
    walk = open_tree(tmp_path)
    assert read_projects(walk, "org/resources", {"projects.yaml": Shape.FILE}) is None
    (problem,) = walk.problems
    assert problem.path == "org/resources/projects.yaml"
    assert (problem.layer, problem.kind) == ("projects", "projects-load-failed")
    assert words in problem.message
