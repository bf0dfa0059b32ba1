from __future__ import annotations

import os
from pathlib import Path

import pytest

from workforce.tree.files import MAX_BYTES, is_there, read_text
from workforce.tree.problems import LoadFailure


def fail(path: Path) -> str:
    with pytest.raises(LoadFailure) as caught:
        read_text(str(path), "THE.md")
    assert caught.value.words.startswith("THE.md ")
    return caught.value.words


def test_read_text__without_one_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes("\ufeff\ufeffé\r\n".encode())
    assert read_text(str(file), "THE.md") == "\ufeffé\r\n"


def test_read_text__limit(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"x" * MAX_BYTES)
    assert len(read_text(str(file), "THE.md")) == 262_144
    file.write_bytes(b"x" * (MAX_BYTES + 1))
    assert "256 KiB (262,144 bytes)" in fail(file)


def test_read_text__limit_holds_for_a_file_that_grows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, small = tmp_path / "f", tmp_path / "small"
    file.write_bytes(b"x" * (MAX_BYTES + 1))
    small.write_bytes(b"x")
    before = os.lstat(small)
    monkeypatch.setattr(os, "lstat", lambda path: before)
    assert "256 KiB" in fail(file)


def test_read_text__system_that_gives_little_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "f").write_text("a long text")
    read = os.read
    monkeypatch.setattr(os, "read", lambda descriptor, size: read(descriptor, min(size, 3)))
    assert read_text(str(tmp_path / "f"), "THE.md") == "a long text"


def test_read_text__missing(tmp_path: Path) -> None:
    assert "is missing" in fail(tmp_path / "f")


def test_read_text__folder(tmp_path: Path) -> None:
    assert "is a folder" in fail(tmp_path)


@pytest.mark.parametrize("target", ["real", "nowhere", "."])
def test_read_text__link(tmp_path: Path, target: str) -> None:
    (tmp_path / "real").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / target)
    assert "is a symbolic link" in fail(tmp_path / "link")


def test_read_text__link_put_in_place_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    before = os.lstat(tmp_path / "real")
    monkeypatch.setattr(os, "lstat", lambda path: before)
    assert "cannot be read" in fail(tmp_path / "link")


@pytest.mark.parametrize("late", [False, True])
def test_read_text__pipe_does_not_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: bool) -> None:
    os.mkfifo(tmp_path / "pipe")
    if not late:
        assert "not a regular file" in fail(tmp_path / "pipe")
        return
    (tmp_path / "real").write_text("x")
    before = os.lstat(tmp_path / "real")
    monkeypatch.setattr(os, "lstat", lambda path: before)
    assert read_text(str(tmp_path / "pipe"), "THE.md") == ""


@pytest.mark.parametrize("call", ["lstat", "open"])
def test_read_text__no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    (tmp_path / "f").write_text("x")

    def refuse(*args: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, call, refuse)
    assert "cannot be read (Permission denied)" in fail(tmp_path / "f")


@pytest.mark.parametrize(
    ("data", "where"),
    [
        (b"\xff", "line 1, column 1"),
        ("é\nü".encode() + b"\xe9x", "line 2, column 2"),
        (b"\xed\xa0\x80", "line 1"),
    ],
)
def test_read_text__not_utf8(tmp_path: Path, data: bytes, where: str) -> None:
    (tmp_path / "f").write_bytes(data)
    found = fail(tmp_path / "f")
    assert "is not UTF-8" in found
    assert where in found


def test_is_there__links_count_and_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    (tmp_path / "f").write_text("x")
    assert is_there(str(tmp_path / "link"))
    assert is_there(str(tmp_path / "f"))
    assert not is_there(str(tmp_path / "other"))
    assert not is_there(str(tmp_path / "f" / "below"))
