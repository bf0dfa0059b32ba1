"""Draining a conversation's own board: each row goes to the worker that it names, at once. See docs/delegation.md."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from boards.drains.handing import hand_over
from boards.drains.leases import lease_seconds
from boards.drains.minding import mind_held
from boards.drains.stations import Station
from boards.hands import NOBODY
from boards.models import Board, Task
from boards.selectors.ready import Wanted, lapsed_tasks, pending_tasks
from boards.services.claiming import claim_next
from boards.services.settling import fail_task
from boards.transitions import Status
from workforce import clock
from workforce.kinds import WorkerKind, registered_kinds
from workforce.models import Seat, Session
from workforce.selectors.workers import find_worker

#: How many of these boards one sweep looks at.
BATCH = 500


def drain_conversation(board: Board) -> int:
    """Hand every ready row to its worker, and fail those whose worker is gone; returns how many of both.

    Safe to call twice and at once. Unassigned rows wait.
    """
    conversation = Session.objects.select_related("owner", "organization").get(board=board)
    mind_held([board])  # first: what lapsed, and is still to be run, is nobody else's
    done = 0
    for assignee in _assignees(board, clock.now()):
        station = Station(board, conversation, Wanted(assignee=assignee))
        seat = _taker(conversation, assignee)
        if seat is None:
            done += _fail_rows(station)
            continue
        while hand_over(seat, station, at_once=True):
            done += 1
    return done


def conversations_with_work(moment: datetime) -> list[Board]:
    """The boards of conversations on which an assigned row is ready or has lapsed."""
    ready = Q(status=Status.PENDING, unmet=0) | Q(status=Status.IN_PROGRESS, lease_until__lte=moment)
    rows = Task.objects.filter(ready, ~Q(assignee=""), board__session__isnull=False)
    return list(Board.objects.filter(pk__in=rows.order_by().values("board")).order_by("pk")[:BATCH])


def _assignees(board: Board, moment: datetime) -> Iterable[str]:
    names: set[str] = set()
    for rows in (pending_tasks(board, Wanted()), lapsed_tasks(board, Wanted(), moment)):
        names.update(rows.exclude(assignee="").order_by().values_list("assignee", flat=True).distinct())
    return sorted(names)


def _taker(conversation: Session, worker: str) -> Seat | None:
    """The live worker of this id that takes tasks, as the conversation's owner has it."""
    seat = find_worker(organization=conversation.organization, user=conversation.owner, worker_id=worker)
    kind = registered_kinds().get(seat.kind) if seat is not None else None
    return seat if isinstance(kind, WorkerKind) and kind.takes_tasks else None


def _fail_rows(station: Station) -> int:
    """End the ready rows of a worker that is gone as failed, whatever attempts they had left."""
    board, worker = station.board, station.wanted.assignee
    error = (
        f"worker-unavailable: '{worker}' is not hired any more, or takes no tasks; file it for another worker"
    )
    failed = 0
    with transaction.atomic():
        while claimed := claim_next(
            board=board, worker=worker, by=NOBODY, lease_seconds=lease_seconds(), wanted=station.wanted
        ):
            task, ticket = claimed
            ended = fail_task(board=board, task_id=task.task_id, by=NOBODY, error=error, ticket=ticket)
            failed += ended.status == Status.ERRORED
    return failed
