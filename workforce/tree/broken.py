"""What a tree could not tell today, so that what was live there is kept. See docs/tree.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workforce.names import local_name, team_of


def team_path(team: str) -> str:
    """Where a team's folder stands."""
    return f"teams/{team}"


def worker_path(worker_id: str) -> str:
    """Where the folder of a worker stands."""
    return f"{_home(worker_id)}/workers/{local_name(worker_id)}"


def document_path(document_id: str) -> str:
    """Where the file of a document stands."""
    return f"{_home(document_id)}/resources/{local_name(document_id)}.md"


def mailbox_path(mailbox_id: str) -> str:
    """Where the folder of a mailbox stands."""
    return f"{_home(mailbox_id)}/mailboxes/{local_name(mailbox_id)}"


class Broken:
    """The places of a tree that could not be read: those of its problems."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._paths = frozenset(paths)
        self._above = frozenset(above for path in self._paths for above in _above(path))

    def hides(self, path: str) -> bool:
        """Whether ``path``, or a folder above it, could not be read."""
        return path in self._paths or any(above in self._paths for above in _above(path))

    def touches(self, path: str) -> bool:
        """Whether a record at ``path`` may be there unread: it is hidden, or something in it is broken."""
        return path in self._above or self.hides(path)


def _home(record_id: str) -> str:
    team = team_of(record_id)
    return "org" if team is None else team_path(team)


def _above(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
