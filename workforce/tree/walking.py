"""Walking a tree's folders without following links, and collecting its problems. See docs/tree.md."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from enum import Enum, auto

from workforce.names import printable
from workforce.tree.problems import Layer, Problem, ProblemKind, TreeUnreadable

IGNORED_NAMES = frozenset({".DS_Store", "Thumbs.db"})


class Shape(Enum):
    """What a directory entry is, links not followed."""

    FOLDER = auto()
    FILE = auto()
    LINK = auto()
    SPECIAL = auto()
    UNKNOWN = auto()
    """It is listed, but the system would not say what it is."""


Listing = dict[str, Shape]
"""The entries of a folder by name, sorted, without the ignored names."""


@dataclass(slots=True)
class Walk:
    """One reading of one tree: its root, what the root holds, and the problems found so far.

    Paths are slash-separated and relative to the root.
    """

    root: str
    listing: Listing
    problems: list[Problem] = field(default_factory=list)

    def locate(self, path: str) -> str:
        """The path to open for a path in the tree."""
        return f"{self.root}/{path}"

    def report(self, path: str, layer: Layer, kind: ProblemKind, message: str) -> None:
        """Collect one problem. Its path and its message are made to fit on one line of UTF-8."""
        self.problems.append(Problem(printable(path), layer, kind, printable(message)))

    def list_slot(self, path: str, shape: Shape | None, layer: Layer) -> Listing:
        """What a structural folder holds; ``shape`` is what its parent's listing says of it, if anything.

        Absent: nothing. A link, or there and not to be listed: an ``unreadable-slot`` problem and nothing.
        """
        if shape is None:
            return {}
        if shape is Shape.LINK:
            words = "this is a symbolic link, and links are never followed; put the folder itself there"
        else:
            try:
                return list_folder(self.locate(path))
            except FileNotFoundError:
                return {}
            except NotADirectoryError:
                words = "this is not a folder; make it one, or remove it"
            except OSError as error:
                words = f"this folder cannot be listed ({error.strerror}); check its permissions"
        self.report(path, layer, ProblemKind.UNREADABLE_SLOT, words)
        return {}


def open_tree(root: str | os.PathLike[str]) -> Walk:
    """Start a walk at ``root``.

    Raises TreeUnreadable when it is missing, not a folder, unreadable, or itself a link.
    """
    given = os.fspath(root)
    path = _without_trailing_slashes(given)
    shown = printable(given)
    try:
        if stat.S_ISLNK(os.lstat(path).st_mode):
            raise TreeUnreadable(
                f"'{shown}' is a symbolic link, and links are never followed; name the folder itself"
            )
        return Walk(path, list_folder(path))
    except FileNotFoundError:
        words = f"there is no folder '{shown}'; name the folder that holds 'teams'"
    except NotADirectoryError:
        words = f"'{shown}' is not a folder; name the folder that holds 'teams'"
    except OSError as error:
        words = f"'{shown}' cannot be listed ({error.strerror}); check its permissions"
    except ValueError as error:
        words = f"'{shown}' is no path ({error})"
    raise TreeUnreadable(words)


def list_folder(path: str) -> Listing:
    """What a folder holds. Raises OSError when it cannot be listed."""
    with os.scandir(path) as entries:
        found = {entry.name: _shape_of(entry) for entry in entries if entry.name not in IGNORED_NAMES}
    return dict(sorted(found.items()))


def _shape_of(entry: os.DirEntry[str]) -> Shape:
    try:
        if entry.is_symlink():
            return Shape.LINK
        if entry.is_dir(follow_symlinks=False):
            return Shape.FOLDER
        return Shape.FILE if entry.is_file(follow_symlinks=False) else Shape.SPECIAL
    except OSError:
        return Shape.UNKNOWN


def _without_trailing_slashes(path: str) -> str:
    """The system follows a link that is spelled ``link/`` or ``link/.``, so those endings are taken off."""
    bare = path
    while bare.endswith(("/", "/.")):
        bare = bare.removesuffix(".").rstrip("/")
    return bare or path[:1]
