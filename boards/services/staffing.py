"""The workers that a board has, settled at every load. See docs/boards.md, "Workers"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from django.db.models import Q

from boards.hands import NOBODY
from boards.models import Board, BoardWorker, Task
from boards.services.calling import call_workers_on_commit
from boards.services.changing import Change, change_task
from boards.transitions import OPEN
from workforce.models import Organization
from workforce.names import local_name

BATCH = 500


def settle_workers(*, organization: Organization, drains: Mapping[str, Collection[str]]) -> None:
    """Make the workers of the organization's boards be these: worker ids by the id of the board they drain.

    A worker whose key changes, because another one of its local name came or left, keeps its open rows: they are
    assigned to the new key, each with its event. Writes only what differs. Must be called in the transaction of a
    load, once its boards are written.
    """
    boards = dict(Board.objects.filter(organization=organization).values_list("board_id", "pk"))
    wanted = {
        (boards[board_id], worker): key
        for board_id, workers in drains.items()
        if board_id in boards
        for worker, key in keys_of(workers).items()
    }
    rows = BoardWorker.objects.filter(board__organization=organization)
    present = {(row.board_id, row.worker_id): (row.pk, row.key) for row in rows}
    gone = [pk for place, (pk, key) in present.items() if wanted.get(place) != key]
    if gone:
        BoardWorker.objects.filter(pk__in=gone).delete()
    new = [
        BoardWorker(board_id=board, worker_id=worker, key=key)
        for (board, worker), key in wanted.items()
        if present.get((board, worker), (0, ""))[1] != key
    ]
    BoardWorker.objects.bulk_create(new, batch_size=BATCH)
    for place, (_, key) in present.items():
        if wanted.get(place, key) != key:
            _follow(place[0], key, wanted[place])
    for board in {place[0] for place in wanted.keys() ^ present.keys()}:
        call_workers_on_commit(board)  # a worker that came has rows to take, and so may the one that is left


def keys_of(workers: Collection[str]) -> dict[str, str]:
    """The key of each worker of one board: its local name, or its full id where two have one local name."""
    names = Counter(map(local_name, set(workers)))
    return {
        worker: local_name(worker) if names[local_name(worker)] == 1 else worker for worker in set(workers)
    }


def _follow(board_key: int, old: str, new: str) -> None:
    """Assign the open rows of a worker's old key to its new one."""
    board = Board.objects.get(pk=board_key)
    rows = Task.objects.filter(~Q(assignee=""), board=board, assignee=old, status__in=OPEN)

    def decide(task: Task) -> Change | None:
        still = task.assignee == old and task.status in OPEN
        return Change(kind="assignee_changed", columns={"assignee": new}) if still else None

    # In the order of keys, as everywhere: a load waits for no two rows crosswise.
    for task_id in list(rows.order_by("pk").values_list("task_id", flat=True)):
        change_task(board=board, task_id=task_id, by=NOBODY, decide=decide)
