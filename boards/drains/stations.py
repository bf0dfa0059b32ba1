"""Which seats drain a board, and which of its rows are theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from boards.models import Board, BoardWorker, Task
from boards.selectors.ready import ORDER, Wanted, lapsed_tasks, pending_tasks
from boards.transitions import Status
from workforce.kinds import worker_kinds
from workforce.models import Request, Seat, Session

#: The internal entry of a kind that takes tasks.
WORK = "work"

#: Where a row stands in the order of claims.
Place = tuple[float, datetime, int]


@dataclass(frozen=True, slots=True)
class Station:
    """A board that a seat drains: the mailbox that holds it, and the rows that are the seat's."""

    board: Board
    mailbox: Session
    wanted: Wanted

    def first_place(self, moment: datetime) -> Place | None:
        """The place of the first row that the seat could take now; None when there is none."""
        looks = (pending_tasks(self.board, self.wanted), lapsed_tasks(self.board, self.wanted, moment))
        found = [rows.order_by(*ORDER).values_list("rank", "created_at", "id").first() for rows in looks]
        return min(((-rank, at, pk) for rank, at, pk in filter(None, found)), default=None)


def seats_of(board: Board) -> QuerySet[Seat]:
    """The hired seats that drain the board, handed rows or taking them. A board that was dropped has none."""
    workers = BoardWorker.objects.filter(board=board).values("worker_id")
    seats = _takers(board.organization_id).filter(seat_id__in=workers).order_by("pk")
    return seats if board.live else seats.none()


def stations_of(seat: Seat) -> list[Station]:
    """Every board that the seat drains and that an existing mailbox holds, in a constant number of queries.

    Unassigned rows are the seat's where it is the only one.
    """
    here = BoardWorker.objects.filter(board__organization=seat.organization_id, board__live=True)
    rows = list(here.filter(worker_id=seat.seat_id).select_related("board").order_by("board_id"))
    addresses = {row.board.mailbox_id for row in rows}
    sessions = Session.objects.filter(organization=seat.organization_id, address__in=addresses)
    mailboxes = {session.address: session for session in sessions.select_related("owner")}
    drainers = _drainers(seat.organization_id, [row.board_id for row in rows])
    return [
        Station(
            row.board,
            mailboxes[row.board.mailbox_id],
            Wanted(assignee=row.key, or_nobody=drainers[row.board_id] == 1),
        )
        for row in rows
        if row.board.mailbox_id in mailboxes
    ]


def has_taker(task: Task) -> bool:
    """Whether a worker of the board would take the row: it is assigned to one, or to nobody and there is only one.

    On a conversation's own board whoever a row names takes it, or it fails for want of that worker.
    """
    if task.board.session_id is not None:
        return bool(task.assignee)
    seats = set(seats_of(task.board).values_list("seat_id", flat=True))
    rows = BoardWorker.objects.filter(board=task.board_id).values_list("worker_id", "key")
    keys = {key for worker, key in rows if worker in seats}
    return task.assignee in keys or (not task.assignee and len(keys) == 1)


def _takers(organization: int) -> QuerySet[Seat]:
    takers = [name for name, kind in worker_kinds().items() if kind.takes_tasks or kind.claims_tasks]
    return Seat.objects.filter(organization=organization, owner=None, retired_at=None, kind__in=takers)


def _drainers(organization: int, boards: list[int]) -> Counter[int]:
    """By how many seats each of the boards is drained."""
    declared = BoardWorker.objects.filter(board__in=boards)
    working = _takers(organization).filter(seat_id__in=declared.values("worker_id"))
    hired = set(working.values_list("seat_id", flat=True))
    return Counter(
        board for board, worker in declared.values_list("board_id", "worker_id") if worker in hired
    )


def free_hands(seat: Seat) -> int:
    """How many more rows the seat may be handed: its ``concurrency`` less the runs that have not ended."""
    declared = seat.settings.get("concurrency", 1)
    runs = Request.objects.filter(Request.IS_UNFINISHED, action=WORK, session__seat=seat)
    return (declared if isinstance(declared, int) else 1) - runs.count()


def boards_with_work(moment: datetime, among: Collection[Board] | None = None) -> list[Board]:
    """The drained boards (of these, or of all) on which a row is ready or has lapsed, for whomever. One query."""
    # The orders cost nothing and name the indexes: see boards/selectors/waiting.py.
    pending = Task.objects.filter(board=OuterRef("pk"), status=Status.PENDING, unmet=0).order_by(*ORDER)
    lapsed = Task.objects.filter(
        board=OuterRef("pk"), status=Status.IN_PROGRESS, lease_until__lte=moment
    ).order_by("lease_until")
    ready = Coalesce(Subquery(pending.values("pk")[:1]), Subquery(lapsed.values("pk")[:1]))
    boards = Board.objects.filter(live=True, pk__in=BoardWorker.objects.values("board"))
    if among is not None:
        boards = boards.filter(pk__in=[board.pk for board in among])
    return list(boards.annotate(ready=ready).filter(ready__isnull=False).order_by("pk"))
