from __future__ import annotations

import os
from pathlib import Path

import pytest

from mailboxes.tree import Tree, read_tree
from tests.workforce.tree.trees import GOOD, link, write
from workforce.tree import Record, TreeUnreadable

DECLARED = {"description": "What it is for."}
ALL_KINDS = {
    "org/workers/w/WORKER.md": GOOD,
    "org/resources/d.md": GOOD,
    "org/resources/projects.yaml": "talk: {}\n",
    "teams/a/TEAM.md": GOOD,
    "teams/a/workers/w/WORKER.md": GOOD,
    "teams/a/mailboxes/m/MAILBOX.md": GOOD,
    "teams/a/resources/d.md": GOOD,
}


def ids(tree: Tree) -> list[str]:
    records = (*tree.workers, *tree.teams, *tree.documents, *tree.mailboxes)
    return [record.id for record in records] + ([tree.projects.id] if tree.projects else [])


def found(tree: Tree) -> list[tuple[str, str, str]]:
    return [(problem.path, problem.layer, problem.kind) for problem in tree.problems]


def test_read_tree__every_kind_of_record(tmp_path: Path) -> None:
    text = "The text.\n"
    assert read_tree(write(tmp_path, ALL_KINDS)) == Tree(
        workers=(
            Record("w", "org/workers/w", DECLARED, text),
            Record("a.w", "teams/a/workers/w", DECLARED, text),
        ),
        teams=(Record("a", "teams/a", DECLARED, text),),
        documents=(
            Record("d", "org/resources/d.md", DECLARED, text),
            Record("a.d", "teams/a/resources/d.md", DECLARED, text),
        ),
        projects=Record("projects", "org/resources/projects.yaml", {"talk": {}}, ""),
        mailboxes=(Record("a.m", "teams/a/mailboxes/m", DECLARED, text),),
        problems=(),
    )


def test_read_tree__takes_text_and_paths_with_a_trailing_slash(tmp_path: Path) -> None:
    write(tmp_path, ALL_KINDS)
    assert read_tree(f"{tmp_path}/") == read_tree(tmp_path)


def test_read_tree__declared_is_judged_later(tmp_path: Path) -> None:
    text = "---\ndescription: x\nmember: [1]\nflow:\nrouting: no\n---\n"
    tree = read_tree(write(tmp_path, {"teams/a/mailboxes/m/MAILBOX.md": text}))
    assert tree.mailboxes[0].declared == {"description": "x", "member": [1], "flow": None, "routing": "no"}
    assert list(tree.mailboxes[0].declared) == ["description", "member", "flow", "routing"]
    assert tree.problems == ()


@pytest.mark.parametrize(
    "folders",
    [
        [],
        ["teams"],
        ["org"],
        ["teams/a"],
        ["org/workers", "org/resources", "other"],
        ["teams/a/mailboxes", "teams/a/workers", "teams/a/resources"],
    ],
)
def test_read_tree__nothing_there_is_no_problem(tmp_path: Path, folders: list[str]) -> None:
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
    assert read_tree(tmp_path) == Tree((), (), (), None, (), ())


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "teams/README.md",
        "org/README.md",
        "teams/a/mailboxes/README.md",
        "teams/a/workers/README.md",
        "org/workers/README.md",
        "teams/a/resources/picture.png",
        "teams/a/resources/folder/x.md",
        "teams/a/resources/projects.yaml",
        "teams/a/mailboxes/m/notes.md",
        "teams/a/mailboxes/m/sub/MAILBOX.md",
        "teams/a/skills/s/SKILL.md",
        "teams/a/MAILBOX.md",
        "org/mailboxes/m/MAILBOX.md",
        "org/channels/m/CHANNEL.md",
        "org/TEAM.md",
        "teams/.DS_Store",
        "teams/Thumbs.db/x",
        "teams/.DS_Store/mailboxes/m/MAILBOX.md",
        "teams/a/.DS_Store",
        "teams/a/mailboxes/.DS_Store",
        "teams/a/mailboxes/Thumbs.db/MAILBOX.md",
        "teams/a/workers/.DS_Store/WORKER.md",
        "teams/a/mailboxes/m/.DS_Store",
        "org/workers/Thumbs.db/x",
        "org/resources/.DS_Store",
    ],
)
def test_read_tree__silently_passed_over(tmp_path: Path, path: str) -> None:
    before = read_tree(write(tmp_path, ALL_KINDS))
    assert read_tree(write(tmp_path, {path: "no record"})) == before


@pytest.mark.parametrize(
    "slot", ["teams", "teams/a/mailboxes", "teams/a/workers", "teams/a/resources", "org/workers"]
)
@pytest.mark.parametrize("name", ["pipe", "pipe.md"])
def test_read_tree__special_files_are_passed_over(tmp_path: Path, slot: str, name: str) -> None:
    before = read_tree(write(tmp_path, ALL_KINDS))
    os.mkfifo(tmp_path / slot / name)
    assert read_tree(tmp_path) == before


SLOTS = [
    ("org", "worker", ["a", "a.d", "a.m", "a.w"]),
    ("org/workers", "worker", ["a", "a.d", "a.m", "a.w", "d", "projects"]),
    ("org/resources", "document", ["a", "a.d", "a.m", "a.w", "w"]),
    ("teams", "team", ["d", "projects", "w"]),
    ("teams/a/mailboxes", "mailbox", ["a", "a.d", "a.w", "d", "projects", "w"]),
    ("teams/a/workers", "worker", ["a", "a.d", "a.m", "d", "projects", "w"]),
    ("teams/a/resources", "document", ["a", "a.m", "a.w", "d", "projects", "w"]),
]


@pytest.mark.parametrize(("path", "layer", "left"), SLOTS)
@pytest.mark.parametrize("how", ["link", "dangling", "file"])
def test_read_tree__unreadable_slot(tmp_path: Path, path: str, layer: str, left: list[str], how: str) -> None:
    root, aside = tmp_path / "root", tmp_path / "aside"
    write(root, ALL_KINDS)
    (root / path).rename(aside)
    if how == "file":
        write(root, {path: "x"})
    else:
        link(root, path, aside if how == "link" else tmp_path / "nowhere")
    tree = read_tree(root)
    assert found(tree) == [(path, layer, "unreadable-slot")]
    assert sorted(ids(tree)) == left


def test_read_tree__team_that_is_a_link_costs_no_other(tmp_path: Path) -> None:
    root, aside = tmp_path / "root", tmp_path / "aside"
    write(root, {"teams/b/mailboxes/m/MAILBOX.md": GOOD})
    write(aside, {"mailboxes/m/MAILBOX.md": GOOD, "TEAM.md": GOOD})
    link(root, "teams/a", aside)
    link(root, "teams/c.md", tmp_path / "nowhere")
    tree = read_tree(root)
    assert found(tree) == [("teams/a", "team", "unreadable-slot"), ("teams/c.md", "team", "unreadable-slot")]
    assert ids(tree) == ["b.m"]


def test_read_tree__team_that_cannot_be_listed_is_reported_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, ALL_KINDS)
    scandir = os.scandir

    def refuse_team(path: str) -> object:
        if path.endswith("/teams/a"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse_team)
    tree = read_tree(tmp_path)
    assert found(tree) == [("teams/a", "team", "unreadable-slot")]
    assert sorted(ids(tree)) == ["d", "projects", "w"]


def test_read_tree__sorted_by_path(tmp_path: Path) -> None:
    teams = ("b", "a", "a-b", "a0", "b-")
    files = {f"teams/{t}/mailboxes/{m}/MAILBOX.md": GOOD for t in teams for m in ("z", "y", "x_", "z-1")}
    files |= {f"teams/{t}/workers/w_/WORKER.md": GOOD for t in teams}
    tree = read_tree(write(tmp_path, files))
    paths = [record.path for record in tree.mailboxes]
    assert len(paths) == 12
    assert paths == sorted(paths)
    broken = [problem.path for problem in tree.problems]
    assert len(broken) == 13
    assert broken == sorted(broken)


def test_read_tree__bad_team_name_once_for_each_record(tmp_path: Path) -> None:
    files = {path.replace("teams/a/", "teams/Bad.One/"): text for path, text in ALL_KINDS.items()}
    files["teams/Bad.One/mailboxes/Also_Bad/MAILBOX.md"] = "nothing"
    files["teams/Empty_Bad/mailboxes/README.md"] = "loose"
    tree = read_tree(write(tmp_path, files))
    assert found(tree) == [
        ("teams/Bad.One", "team", "team-load-failed"),
        ("teams/Bad.One/mailboxes/Also_Bad", "mailbox", "mailbox-load-failed"),
        ("teams/Bad.One/mailboxes/m", "mailbox", "mailbox-load-failed"),
        ("teams/Bad.One/resources/d.md", "document", "document-load-failed"),
        ("teams/Bad.One/workers/w", "worker", "worker-load-failed"),
    ]
    assert all(problem.message.startswith("Team folder name 'Bad.One' ") for problem in tree.problems)
    assert sorted(ids(tree)) == ["d", "projects", "w"]


def test_read_tree__names_that_are_no_utf8(tmp_path: Path) -> None:
    write(tmp_path, {"teams/a/mailboxes/m/MAILBOX.md": GOOD})
    for path in (b"teams/a/mailboxes/\xff", b"teams/\xfe/mailboxes/m", b"org/workers/\xfd"):
        os.makedirs(os.path.join(os.fsencode(tmp_path), path))
    tree = read_tree(tmp_path)
    assert [problem.path for problem in tree.problems] == [
        "org/workers/\\udcfd",
        "teams/\\udcfe/mailboxes/m",
        "teams/a/mailboxes/\\udcff",
    ]
    assert all(repr(problem).encode("utf-8") and problem.message.isprintable() for problem in tree.problems)
    assert ids(tree) == ["a.m"]


@pytest.mark.parametrize("ending", ["", "/"])
def test_read_tree__root_that_is_a_link(tmp_path: Path, ending: str) -> None:
    write(tmp_path / "real", ALL_KINDS)
    link(tmp_path, "link", tmp_path / "real")
    with pytest.raises(TreeUnreadable, match="symbolic link"):
        read_tree(f"{tmp_path}/link{ending}")


def test_read_tree__root_that_is_missing_or_a_file(tmp_path: Path) -> None:
    write(tmp_path, {"file": "x"})
    for name, words in (("nowhere", "no folder"), ("file", "not a folder")):
        with pytest.raises(TreeUnreadable, match=words):
            read_tree(tmp_path / name)
