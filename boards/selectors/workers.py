"""Which worker keys a board has."""

from __future__ import annotations

from collections.abc import Collection

from boards.errors import UnknownAssignee
from boards.models import Board, Task
from boards.transitions import OPEN
from workforce.names import local_name


def worker_keys(board: Board) -> frozenset[str]:
    """The keys under which rows of this board can be assigned; empty when nobody declared to work it.

    A worker's key is its local name, or its full id where two workers of the board have one local name.
    """
    return frozenset(board.workers.values_list("key", flat=True))


def access_worker_key(board: Board, assignee: str) -> str:
    """The key that an assignee stands for: a key of the board, or the full id of one of its workers.

    On a board without declared workers any key is one. Raises UnknownAssignee, which lists the keys, and for a
    local name that several workers have those that it could mean. The empty assignee stands for nobody.
    """
    if not assignee:
        return ""
    keys = dict(board.workers.values_list("worker_id", "key"))
    if not keys or assignee in keys.values():
        return assignee
    if assignee in keys:
        return keys[assignee]
    raise UnknownAssignee.of(assignee, keys.values(), [id for id in keys if local_name(id) == assignee])


def is_nobodys(assignee: str, keys: Collection[str]) -> bool:
    """Whether what is assigned so is for nobody: the board has workers, with these keys, and this is none of them.

    A worker that left takes its key along.
    """
    return bool(assignee and keys) and assignee not in keys


def is_orphaned(task: Task, keys: Collection[str]) -> bool:
    """Whether an open row is assigned to no worker of its board, whose keys these are: nobody takes it."""
    return task.status in OPEN and is_nobodys(task.assignee, keys)
