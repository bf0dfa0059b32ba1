"""Small workforce trees on disk."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

TOPIC = "What it is for."


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files by their path in the tree, and return the root."""
    root.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
    return root


def remove(root: Path, path: str) -> None:
    """Take one file out of a tree, and its folder."""
    file = root / path
    file.unlink()
    file.parent.rmdir()


def record(keys: str = "", body: str = "", *, description: str = TOPIC) -> str:
    """The text of a record file: YAML lines beside the description, and a body."""
    lines = f"{keys.strip()}\n" if keys.strip() else ""
    return f"---\ndescription: {description}\n{lines}---\n{body}"
