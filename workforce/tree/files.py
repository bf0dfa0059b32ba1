"""The text of one file of a tree, without following links. See docs/tree.md."""

from __future__ import annotations

import os
import stat

from workforce.tree.problems import LoadFailure

MAX_BYTES = 262_144

# Where the platform has them: a link put in place of the file is not followed, a pipe does not block.
_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
)


def is_there(path: str) -> bool:
    """Whether anything stands at ``path``, a dangling link included. Raises OSError when that is hidden."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def read_text(path: str, name: str) -> str:
    """The text of the regular file at ``path``, without a byte-order mark.

    ``name`` is what messages call it. Raises LoadFailure when it is missing, a link, a folder or anything
    else but a file, unreadable, over 256 KiB or not UTF-8.
    """
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        raise LoadFailure(f"{name} is missing; write it, or remove the folder") from None
    except OSError as error:
        raise _unreadable(name, error) from None
    _check_regular(status.st_mode, name)
    _check_size(status.st_size, name)
    try:
        data = _read_bytes(path, status.st_size)
    except OSError as error:
        raise _unreadable(name, error) from None
    _check_size(len(data), name)
    return _decode(data, name)


def _read_bytes(path: str, size: int) -> bytes:
    # Not a file object: opening one costs three more system calls, for each of thousands of files.
    descriptor = os.open(path, _FLAGS)
    try:
        data = os.read(descriptor, MAX_BYTES + 1)
        while len(data) < size and (more := os.read(descriptor, MAX_BYTES + 1)):
            data += more
    finally:
        os.close(descriptor)
    return data


def _check_regular(mode: int, name: str) -> None:
    if stat.S_ISREG(mode):
        return
    if stat.S_ISLNK(mode):
        raise LoadFailure(
            f"{name} is a symbolic link, and links are never followed; put the file itself there"
        )
    if stat.S_ISDIR(mode):
        raise LoadFailure(f"{name} is a folder; it must be a file")
    raise LoadFailure(f"{name} cannot be read: it is not a regular file; put a file there")


def _check_size(size: int, name: str) -> None:
    if size > MAX_BYTES:
        raise LoadFailure(f"{name} is over the limit of 256 KiB (262,144 bytes); shorten it")


def _decode(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = len(data[data.rfind(b"\n", 0, error.start) + 1 : error.start].decode("utf-8")) + 1
        where = f"line {line}, column {column}"
        raise LoadFailure(f"{name} is not UTF-8 ({where}); save it with the encoding UTF-8") from None


def _unreadable(name: str, error: OSError) -> LoadFailure:
    return LoadFailure(f"{name} cannot be read ({error.strerror}); check its permissions")
