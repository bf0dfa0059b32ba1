"""A user's own workers: hired, forked, edited and fired while the system runs. See docs/workers.md."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from workforce import clock
from workforce.callers import Caller
from workforce.kinds import kind_names, worker_kinds
from workforce.knownboards import board_facts
from workforce.models import Document, Seat
from workforce.refusals import quoted
from workforce.roster.faults import Fault
from workforce.roster.hires import Hire, id_faults, is_sayable, judge_hire
from workforce.roster.judging import Flows
from workforce.roster.references import References
from workforce.selectors.workers import access_worker, find_worker, no_such_worker, reachable_workers
from workforce.toolsets import tool_names
from workforce.vocabulary import FEW_COMPARISONS
from workforce.workererrors import StandardWorker, WorkerTaken, faulty_worker


def hire_worker(
    *,
    caller: Caller,
    worker_id: str,
    flow: str | None = None,
    description: str | None = None,
    instructions: str = "",
    settings: Mapping[str, Any] | None = None,
) -> Seat:
    """Hire a worker of the caller's own. An id that the caller fired before is the same seat again.

    Raises InvalidInput with every fault of it, and WorkerTaken for an id that is a standard worker's or that
    the caller's worker has; then nothing is written.
    """
    hire = Hire(flow, description, instructions, settings or {})
    with transaction.atomic():
        return _seat_new(caller, worker_id, hire)


def fork_worker(*, caller: Caller, origin: str, worker_id: str) -> Seat:
    """Hire a copy of a worker that the caller can reach, as it is now, under an id of the caller's own.

    What the origin is told by its team is copied too, and the team's documents stay readable. Raises NotFound
    for the origin, and what hiring raises.
    """
    with transaction.atomic():
        source = access_worker(caller=caller, worker_id=origin)
        return _seat_new(caller, worker_id, _hire_of(source), team_instructions=source.team_instructions)


def edit_worker(
    *,
    caller: Caller,
    worker_id: str,
    flow: str | None = None,
    description: str | None = None,
    instructions: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Seat:
    """Change what is given of the caller's own worker; settings are replaced as a whole.

    Raises NotFound, StandardWorker, and InvalidInput with every fault of what it would be.
    """
    with transaction.atomic():
        rows = _own(caller, worker_id).filter(retired_at=None)
        seat = rows.select_for_update(no_key=True).first()
        if seat is None:
            raise _not_own(caller, worker_id, "edited")
        old = _hire_of(seat)
        hire = Hire(
            old.flow if flow is None else flow,
            old.description if description is None else description,
            old.instructions if instructions is None else instructions,
            old.settings if settings is None else settings,
            old.team,
        )
        values, faults = _judged(caller, worker_id, hire)
        if faults:
            raise faulty_worker(faults)
        for name, value in values.items():
            setattr(seat, name, value)
        seat.changed_at = clock.now()
        seat.save(update_fields=[*values, "changed_at"])
    return seat


def fire_worker(*, caller: Caller, worker_id: str) -> Seat:
    """Retire the caller's own worker: its conversations stay readable, no new turn runs as it.

    Raises NotFound and StandardWorker.
    """
    with transaction.atomic():
        moment = clock.now()
        seat = _own(caller, worker_id).filter(retired_at=None).first()
        if seat is None or not Seat.objects.filter(pk=seat.pk, retired_at=None).update(retired_at=moment):
            raise _not_own(caller, worker_id, "fired")
        seat.retired_at = moment
    return seat


def _seat_new(caller: Caller, worker_id: str, hire: Hire, *, team_instructions: str = "") -> Seat:
    faults = list(id_faults(worker_id))
    taken = "" if faults else _why_taken(caller, worker_id)
    values, found = _judged(caller, worker_id, hire)
    faults += found
    if faults:
        raise faulty_worker([*([Fault("id", taken)] if taken else []), *faults])
    if taken:
        raise WorkerTaken(taken)
    values |= {"team_instructions": team_instructions, "forked_team": hire.team, "changed_at": clock.now()}
    fired = _own(caller, worker_id).filter(retired_at__isnull=False)
    if fired.update(**values, retired_at=None):
        return _own(caller, worker_id).get()
    try:
        with transaction.atomic():
            return Seat.objects.create(
                organization=caller.organization,
                owner=caller.user,
                seat_id=worker_id,
                hired_at=values["changed_at"],
                **values,
            )
    except IntegrityError:  # another call was faster
        raise WorkerTaken(_taken_by_own(worker_id)) from None


def _why_taken(caller: Caller, worker_id: str) -> str:
    present = find_worker(organization=caller.organization, user=caller.user, worker_id=worker_id)
    if present is None:
        return ""
    if present.owner_id is None:
        return f"{quoted(worker_id)} is a standard worker's; choose another id"
    return _taken_by_own(worker_id)


def _taken_by_own(worker_id: str) -> str:
    return f"you have a worker {quoted(worker_id)} already; choose another id, or edit that one"


def _own(caller: Caller, worker_id: str) -> QuerySet[Seat]:
    if not is_sayable(worker_id):
        return Seat.objects.none()
    return Seat.objects.filter(organization=caller.organization, owner=caller.user, seat_id=worker_id)


def _not_own(caller: Caller, worker_id: str, verb: str) -> Exception:
    found = find_worker(organization=caller.organization, user=caller.user, worker_id=worker_id)
    if found is not None and found.owner_id is None:
        return StandardWorker.of(worker_id, verb)
    return no_such_worker(caller, worker_id)


def _hire_of(seat: Seat) -> Hire:
    return Hire(seat.kind, seat.description or None, seat.instructions, seat.settings, seat.team)


def _judged(caller: Caller, worker_id: str, hire: Hire) -> tuple[dict[str, Any], list[Fault]]:
    """The columns that a hire becomes, and its faults."""
    flows = Flows(worker_kinds(), kind_names())
    judged = judge_hire(hire, flows=flows, references=_references(caller, worker_id))
    values = {
        "kind": judged.kind.name if judged.kind else "",
        "description": hire.description or "",
        "instructions": hire.instructions,
        "settings": judged.stored,
    }
    return values, judged.faults


def _references(caller: Caller, worker_id: str) -> References:
    """What a user's worker may name today: itself and what the user can reach."""
    workers = reachable_workers(organization=caller.organization, user=caller.user)
    documents = Document.objects.filter(organization=caller.organization, retired_at=None)
    boards = board_facts()
    return References(
        workers={worker_id, *workers.values_list("seat_id", flat=True)},
        documents=documents.values_list("document_id", flat=True),
        tools=tool_names(),
        boards=boards.read(caller.organization),
        board_tool_names=boards.tools,
        comparisons=FEW_COMPARISONS,
    )
