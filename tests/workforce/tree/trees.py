"""Small trees on disk for the tests of the reader."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

GOOD = "---\ndescription: What it is for.\n---\nThe text.\n"


def write(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files by their path in the tree."""
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
    return root


def link(root: Path, path: str, target: Path) -> None:
    """Put a symbolic link at a path of the tree."""
    place = root / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(target)
