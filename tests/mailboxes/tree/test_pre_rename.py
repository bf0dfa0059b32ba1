from __future__ import annotations

import os
from pathlib import Path

import pytest

from mailboxes.tree import read_tree
from tests.workforce.tree.trees import GOOD, link, write
from workforce.tree import Problem

OLD = "pre-rename-record"


def found(root: Path) -> list[tuple[str, str, str]]:
    return [(problem.path, problem.layer, problem.kind) for problem in read_tree(root).problems]


def only(root: Path) -> Problem:
    (problem,) = read_tree(root).problems
    return problem


def test_read_tree__each_old_file_in_channels(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "teams/a/channels/one/CHANNEL.md": b"\xff nothing of it is read",
            "teams/a/channels/two/CHANNEL.md": GOOD,
            "teams/a/channels/three/README.md": "x",
            "teams/a/channels/loose.md": "x",
            "teams/a/channels/.DS_Store/CHANNEL.md": "x",
            "teams/a/mailboxes/m/MAILBOX.md": GOOD,
            "teams/a/workers/w/WORKER.md": GOOD,
        },
    )
    tree = read_tree(tmp_path)
    assert [(problem.path, problem.layer, problem.kind) for problem in tree.problems] == [
        ("teams/a/channels/one/CHANNEL.md", "mailbox", OLD),
        ("teams/a/channels/two/CHANNEL.md", "mailbox", OLD),
    ]
    assert "teams/a/mailboxes/one/MAILBOX.md" in tree.problems[0].message
    assert "teams/a/mailboxes/two/MAILBOX.md" in tree.problems[1].message
    assert [record.id for record in tree.mailboxes] == ["a.m"]
    assert [record.id for record in tree.workers] == ["a.w"]


def test_read_tree__an_old_file_of_any_type_counts(tmp_path: Path) -> None:
    write(tmp_path, {"teams/a/channels/folder/CHANNEL.md/x": "x"})
    link(tmp_path, "teams/a/channels/link/CHANNEL.md", tmp_path / "nowhere")
    assert found(tmp_path) == [
        ("teams/a/channels/folder/CHANNEL.md", "mailbox", OLD),
        ("teams/a/channels/link/CHANNEL.md", "mailbox", OLD),
    ]


@pytest.mark.parametrize("content", [None, "README.md", "one/README.md", "CHANNEL.md", "one/sub/CHANNEL.md"])
def test_read_tree__channels_without_an_old_file(tmp_path: Path, content: str | None) -> None:
    (tmp_path / "teams/a/channels").mkdir(parents=True)
    if content:
        write(tmp_path, {f"teams/a/channels/{content}": "x"})
    problem = only(tmp_path)
    assert (problem.path, problem.layer, problem.kind) == ("teams/a/channels", "mailbox", OLD)
    assert "teams/a/mailboxes/" in problem.message


@pytest.mark.parametrize("how", ["file", "link", "unlistable"])
def test_read_tree__channels_that_is_not_walked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    root = tmp_path / "root"
    write(tmp_path, {"aside/one/CHANNEL.md": "x"})
    if how == "file":
        write(root, {"teams/a/channels": "x"})
    elif how == "link":
        link(root, "teams/a/channels", tmp_path / "aside")
    else:
        write(root, {"teams/a/channels/one/CHANNEL.md": "x"})
        scandir = os.scandir

        def refuse(path: str) -> object:
            if path.endswith("/channels"):
                raise PermissionError(13, "Permission denied")
            return scandir(path)

        monkeypatch.setattr(os, "scandir", refuse)
    assert found(root) == [("teams/a/channels", "mailbox", OLD)]


def test_read_tree__child_of_channels_that_is_a_link(tmp_path: Path) -> None:
    write(tmp_path, {"aside/CHANNEL.md": "x", "root/teams/a/channels/one/CHANNEL.md": "x"})
    link(tmp_path, "root/teams/a/channels/two", tmp_path / "aside")
    assert found(tmp_path / "root") == [("teams/a/channels/one/CHANNEL.md", "mailbox", OLD)]


@pytest.mark.parametrize("name", ["m", "Bad_Name"])
@pytest.mark.parametrize("beside", [{}, {"MAILBOX.md": GOOD}, {"MAILBOX.md": "broken"}])
def test_read_tree__old_file_in_a_mailbox_folder(tmp_path: Path, name: str, beside: dict[str, str]) -> None:
    folder = f"teams/a/mailboxes/{name}"
    write(
        tmp_path, {f"{folder}/CHANNEL.md": "x", **{f"{folder}/{file}": text for file, text in beside.items()}}
    )
    write(tmp_path, {"teams/a/mailboxes/z/MAILBOX.md": GOOD})
    tree = read_tree(tmp_path)
    (problem,) = tree.problems
    assert (problem.path, problem.layer, problem.kind) == (f"{folder}/CHANNEL.md", "mailbox", OLD)
    assert f"{folder}/MAILBOX.md" in problem.message
    assert [record.id for record in tree.mailboxes] == ["a.z"]


def test_read_tree__old_file_that_cannot_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"teams/a/mailboxes/m/MAILBOX.md": GOOD})

    def refuse(path: str, lstat=os.lstat) -> os.stat_result:  # type: ignore[no-untyped-def]
        if "/m/" in path:
            raise PermissionError(13, "Permission denied")
        return lstat(path)  # type: ignore[no-any-return]

    monkeypatch.setattr(os, "lstat", refuse)
    assert found(tmp_path) == [("teams/a/mailboxes/m", "mailbox", "mailbox-load-failed")]


def test_read_tree__old_file_elsewhere_means_nothing(tmp_path: Path) -> None:
    write(tmp_path, {"teams/a/workers/w/CHANNEL.md": "x", "teams/a/workers/w/WORKER.md": GOOD})
    write(tmp_path, {"teams/a/CHANNEL.md": "x", "teams/channels": "x"})
    tree = read_tree(tmp_path)
    assert tree.problems == ()
    assert [record.id for record in tree.workers] == ["a.w"]
