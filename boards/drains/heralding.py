"""Telling seats that take rows themselves of what is ready for them, once each time. See docs/boards.md."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import CharField, Exists, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Cast, Concat

from boards.drains.handing import keep_mailbox
from boards.drains.stations import Station, stations_of
from boards.models import Board, Task, TaskEvent
from boards.selectors.ready import ORDER, lapsed_tasks, pending_tasks
from boards.transitions import Status
from workforce import clock
from workforce.dispatch.start import nudge_on_commit
from workforce.ids import new_session_id
from workforce.kinds import WorkerKind, registered_kinds
from workforce.kinds.tasks import HEAR_READY, TaskReady
from workforce.models import Request, Seat, Session

#: How many rows are told of in one transaction.
BATCH = 500
#: What a seat's conversation about the boards of a mailbox is about.
TOPIC = "board"


def claims_itself(seat: Seat) -> bool:
    """Whether the seat's kind takes rows itself."""
    kind = registered_kinds().get(seat.kind)
    return isinstance(kind, WorkerKind) and kind.claims_tasks


def tell_ready(seat: Seat, board: Board) -> int:
    """Owe the seat a run for each row of the board that is ready for it and that it was not told of; how many.

    Safe to call twice and at once.
    """
    told = 0
    for station in stations_of(seat):
        if station.board.pk == board.pk:
            while count := _tell_some(seat, station):
                told += count
    return told


def _tell_some(seat: Seat, station: Station) -> int:
    if not _untold(seat, station):
        return 0
    with transaction.atomic():
        # Of two calls at once, the second finds what the first told of.
        locked = Seat.objects.select_for_update(no_key=True, of=("self",))
        hired = locked.filter(pk=seat.pk, retired_at=None).first()
        if hired is None or not keep_mailbox(station.mailbox):
            return 0
        rows = _untold(hired, station)
        if not rows:
            return 0
        session = _conversation(station.mailbox, hired)
        owed = [_run(session, hired, station, *row) for row in rows]
        Request.objects.bulk_create(owed)
        nudge_on_commit(owed)
    return len(owed)


#: A row's key, its id, its chain, and which of the times that it became ready.
_Row = tuple[int, str, UUID | None, str]


def _untold(seat: Seat, station: Station) -> list[_Row]:
    """The first rows that are ready for the seat and that no run was owed for, in the order of claims."""
    board, wanted = station.board, station.wanted
    return _without_run(seat, pending_tasks(board, wanted), _since_waiting()) or _without_run(
        seat, lapsed_tasks(board, wanted, clock.now()), _since_lost()
    )


def _since_waiting() -> Combinable:
    """The event by which a row came to wait, or to wait for another worker."""
    became = Q(kind="assignee_changed") | (Q(to_status=Status.PENDING) & ~Q(from_status=Status.PENDING))
    events = TaskEvent.objects.filter(became, task=OuterRef("pk")).order_by("-id")
    return Cast(Subquery(events.values("pk")[:1]), CharField())


def _since_lost() -> Combinable:
    """The claim that a holder lost."""
    return Concat(Value("lapsed-"), Cast(F("claim_number"), CharField()))


def _without_run(seat: Seat, rows: QuerySet[Task], since: Combinable) -> list[_Row]:
    row = Cast(OuterRef("pk"), CharField())
    key = Concat(Value(f"ready:{seat.pk}:"), row, Value(":"), OuterRef("since"))
    told = Exists(Request.objects.filter(dispatch_key=key))
    untold = rows.annotate(since=since).filter(~told).order_by(*ORDER)
    return list(untold.values_list("pk", "task_id", "chain_uid", "since")[:BATCH])


def _run(
    session: Session, seat: Seat, station: Station, pk: int, task_id: str, chain: UUID | None, since: str
) -> Request:
    ready = TaskReady.model_validate({"boardId": station.board.board_id, "taskId": task_id, "since": since})
    run = Request(
        session=session,
        action=HEAR_READY,
        source=Request.Source.TASK,
        input=ready.model_dump(mode="json"),
        serial=True,
        dispatch_key=f"ready:{seat.pk}:{pk}:{since}",
    )
    run.chain_uid = chain or run.uid
    return run


def _conversation(mailbox: Session, seat: Seat) -> Session:
    """The seat's conversation about the boards of a mailbox; a second one when its kind changed."""
    fields = {
        "organization_id": mailbox.organization_id,
        "owner_id": mailbox.owner_id,
        "kind": seat.kind,
        "title": f"{seat.seat_id} and the boards of {mailbox.address}"[:200],
    }
    for topic in (TOPIC, f"{TOPIC}:{seat.kind}"):
        session, _ = Session.objects.get_or_create(
            parent=mailbox, seat=seat, topic=topic, defaults={**fields, "address": new_session_id()}
        )
        if session.kind == seat.kind:
            break
    return session
