"""Handing rows to seats: a claim and the run that works it commit together. See docs/boards.md."""

from __future__ import annotations

from django.db import connection, transaction

from boards.drains.leases import dispatch_key, hand_of, lease_seconds
from boards.drains.minding import mind_held
from boards.drains.stations import WORK, Station, boards_with_work, free_hands, stations_of
from boards.hands import Hand
from boards.models import Task
from boards.services.changing import Change, change_task
from boards.services.claiming import claim_next
from workforce import clock
from workforce.dispatch.start import nudge_on_commit
from workforce.ids import new_session_id
from workforce.kinds.tasks import TaskDelivery
from workforce.models import Request, Seat, Session


def fill_seat(seat: Seat) -> int:
    """Hand rows to the seat while it has a hand free and a row is ready for it; returns how many.

    Of several boards the one whose first row comes first in the order of claims. Safe to call twice and at once.
    """
    if free_hands(seat) < 1:
        return 0
    stations = stations_of(seat)
    mind_held([station.board for station in stations])  # first: what is still to be run is nobody else's
    handed = 0
    while any(hand_over(seat, station) for station in _by_first_row(stations)):
        handed += 1
        if free_hands(seat) < 1:
            break
    return handed


def _by_first_row(stations: list[Station]) -> list[Station]:
    moment = clock.now()
    busy = {board.pk for board in boards_with_work(moment, [station.board for station in stations])}
    found = [(station.first_place(moment), station) for station in stations if station.board.pk in busy]
    ready = [(place, station) for place, station in found if place is not None]
    return [station for _, station in sorted(ready, key=lambda entry: entry[0])]


def hand_over(seat: Seat, station: Station, *, at_once: bool = False) -> bool:
    """Claim the seat's next row of the board and owe its run, in one transaction; False when it takes none.

    ``at_once`` is for rows that wait for no hand to be free.
    """
    with transaction.atomic():
        # The seat's row decides how many it works at once. What refers to it is written meanwhile.
        locked = Seat.objects.select_for_update(no_key=True, of=("self",))
        hired = locked.filter(pk=seat.pk, retired_at=None).first()
        if hired is None or not (at_once or free_hands(hired) > 0) or not keep_mailbox(station.mailbox):
            return False
        by = hand_of(station.mailbox, hired)
        claimed = claim_next(
            board=station.board,
            worker=hired.seat_id,
            by=by,
            lease_seconds=lease_seconds(),
            wanted=station.wanted,
        )
        if claimed is None:
            return False
        _owe_run(station, hired, by, *claimed)
    return True


def keep_mailbox(mailbox: Session) -> bool:
    """Have the mailbox stay until the transaction ends, so that a session can be made below it; False when it went.

    Locked before the row is claimed: an action of the mailbox locks its session first and rows later, and of two
    orders one would wait for the other.
    """
    if connection.vendor != "postgresql":
        return Session.objects.filter(pk=mailbox.pk).exists()  # there the transaction is alone
    table = connection.ops.quote_name(Session._meta.db_table)
    with connection.cursor() as cursor:
        # Django can ask for every lock but this one.
        cursor.execute(f"SELECT 1 FROM {table} WHERE id = %s FOR KEY SHARE", [mailbox.pk])  # noqa: S608
        return cursor.fetchone() is not None


def _owe_run(station: Station, seat: Seat, by: Hand, task: Task, ticket: str) -> None:
    """The row's session, the request that works it there, and the row's mark of both."""
    session = _task_session(station.mailbox, seat, task)
    request = Request(
        session=session,
        action=WORK,
        source=Request.Source.TASK,
        input=_delivery(station, task, ticket).model_dump(mode="json"),
        serial=True,
        dispatch_key=dispatch_key(task),
    )
    request.chain_uid = task.chain_uid or request.uid
    request.save(force_insert=True)
    run = {"sessionId": session.address, "requestId": str(request.uid), "attempt": task.attempts}
    change_task(
        board=station.board,
        task_id=task.task_id,
        by=by,
        decide=lambda _: Change(kind="run_linked", columns={"run": run}),
    )
    nudge_on_commit([request])


def _delivery(station: Station, task: Task, ticket: str) -> TaskDelivery:
    return TaskDelivery.model_validate(
        {
            "boardId": station.board.board_id,
            "taskId": task.task_id,
            "ticket": ticket,
            "goal": task.goal,
            "title": task.title,
            "context": task.context,
            "input": task.input,
            "feedback": task.feedback,
            "attempt": task.attempts,
        }
    )


def _task_session(mailbox: Session, seat: Seat, task: Task) -> Session:
    """The seat's session for the row, below the mailbox's: a retry re-enters it, and what follows up on the row.

    A seat that is of another kind by now gets a second one, for a session's kind is fixed. The seat's row is
    locked, so that there is nobody to race with.
    """
    topic = f"task:{task.follow_up_of or task.task_id}"
    fields = {
        "organization_id": mailbox.organization_id,
        "owner_id": mailbox.owner_id,
        "kind": seat.kind,
        "title": (task.title or task.goal)[:200],
    }
    for name in (topic, f"{topic}:{seat.kind}"):
        session, _ = Session.objects.get_or_create(
            parent=mailbox, seat=seat, topic=name, defaults={**fields, "address": new_session_id()}
        )
        if session.kind == seat.kind:
            break
    return session
