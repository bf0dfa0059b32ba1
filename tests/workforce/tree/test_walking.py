from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from tests.workforce.tree.trees import link
from workforce.errors import DomainError
from workforce.tree.problems import Layer, Problem, ProblemKind, TreeUnreadable
from workforce.tree.walking import Shape, Walk, list_folder, open_tree


def refuse(*args: object) -> None:
    raise PermissionError(13, "Permission denied")


def fail(root: str | Path) -> str:
    with pytest.raises(TreeUnreadable) as caught:
        open_tree(root)
    assert isinstance(caught.value, DomainError)
    assert caught.value.code == "tree-unreadable"
    return caught.value.words


def test_open_tree__missing(tmp_path: Path) -> None:
    assert "there is no folder" in fail(tmp_path / "nowhere")
    assert "there is no folder" in fail("")


def test_open_tree__not_a_folder(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    assert "is not a folder" in fail(tmp_path / "f")
    assert "is not a folder" in fail(tmp_path / "f" / "below")


@pytest.mark.parametrize("call", ["lstat", "scandir"])
def test_open_tree__unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    monkeypatch.setattr(os, call, refuse)
    assert "cannot be listed (Permission denied)" in fail(tmp_path)


@pytest.mark.parametrize("ending", ["", "/", "//", "/.", "/./", "/.//./"])
def test_open_tree__link_however_it_is_spelled(tmp_path: Path, ending: str) -> None:
    (tmp_path / "real").mkdir()
    link(tmp_path, "link", tmp_path / "real")
    assert "is a symbolic link" in fail(f"{tmp_path}/link{ending}")
    assert open_tree(f"{tmp_path}/real{ending}").root == f"{tmp_path}/real"


def test_open_tree__dangling_link(tmp_path: Path) -> None:
    link(tmp_path, "link", tmp_path / "nowhere")
    assert "is a symbolic link" in fail(f"{tmp_path}/link/")


@pytest.mark.parametrize("root", ["/", "//", "/.", ".", "./"])
def test_open_tree__short_spellings(root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert set(open_tree(root).listing) == set(os.listdir(root))


def test_open_tree__a_path_with_nul(tmp_path: Path) -> None:
    assert "is no path" in fail(f"{tmp_path}\0x")


def test_open_tree__a_path_that_is_no_utf8(tmp_path: Path) -> None:
    assert "\\udcff" in fail(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))


def test_list_folder__shapes_sorted_without_ignored_names(tmp_path: Path) -> None:
    for name in ("b", ".DS_Store", "Thumbs.db"):
        (tmp_path / name).mkdir()
    (tmp_path / "a").write_text("x")
    os.mkfifo(tmp_path / "d")
    link(tmp_path, "c", tmp_path / "b")
    assert list(list_folder(str(tmp_path)).items()) == [
        ("a", Shape.FILE),
        ("b", Shape.FOLDER),
        ("c", Shape.LINK),
        ("d", Shape.SPECIAL),
    ]


def test_list_folder__entry_that_the_system_does_not_describe(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = MagicMock(is_symlink=MagicMock(side_effect=PermissionError))
    entry.name = "x"
    listing = MagicMock()
    listing.__enter__.return_value = [entry]
    monkeypatch.setattr(os, "scandir", lambda path: listing)
    assert list_folder("anywhere") == {"x": Shape.UNKNOWN}


def test_list_slot__absent_is_no_problem(tmp_path: Path) -> None:
    walk = open_tree(tmp_path)
    assert walk.list_slot("teams", None, Layer.TEAM) == {}
    assert walk.list_slot("teams", Shape.FOLDER, Layer.TEAM) == {}
    assert walk.problems == []


def make_file(path: Path) -> None:
    path.write_text("x")


def make_link(path: Path) -> None:
    (path.parent / "elsewhere" / "inside").mkdir(parents=True)
    path.symlink_to(path.parent / "elsewhere")


@pytest.mark.parametrize(
    ("make", "words"),
    [(make_file, "not a folder"), (os.mkfifo, "not a folder"), (make_link, "is a symbolic link")],
)
def test_list_slot__unreadable(tmp_path: Path, make: Callable[[Path], None], words: str) -> None:
    make(tmp_path / "teams")
    walk = open_tree(tmp_path)
    assert walk.list_slot("teams", walk.listing["teams"], Layer.TEAM) == {}
    (problem,) = walk.problems
    assert (problem.path, problem.layer, problem.kind) == ("teams", "team", "unreadable-slot")
    assert words in problem.message


def test_list_slot__cannot_be_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "teams").mkdir()
    walk = open_tree(tmp_path)
    monkeypatch.setattr(os, "scandir", refuse)
    assert walk.list_slot("teams", Shape.FOLDER, Layer.TEAM) == {}
    assert [problem.kind for problem in walk.problems] == ["unreadable-slot"]
    assert "Permission denied" in walk.problems[0].message


def test_report__fits_on_one_line_of_utf8() -> None:
    walk = Walk("root", {})
    walk.report("teams/a\udcff\n", Layer.TEAM, ProblemKind.TEAM_LOAD_FAILED, "b\udcff\n")
    assert walk.problems == [Problem("teams/a\\udcff\\n", "team", "team-load-failed", "b\\udcff\\n")]
