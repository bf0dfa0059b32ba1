"""Running a claimed request: its effects and its completion commit together."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import structlog
from django.db import InterfaceError, OperationalError, connection, transaction

from workforce import clock
from workforce.dispatch.claim import claim, give_back
from workforce.dispatch.endings import tell_ended
from workforce.dispatch.perform import fail, refuse, settle
from workforce.dispatch.rows import head_of_queue
from workforce.dispatch.start import nudge, nudge_on_commit, start_next
from workforce.dispatch.working import lock_run, work
from workforce.errors import DomainError, NoSuchAction
from workforce.inputs import validate_input
from workforce.kinds import Action, Call, RunAborted, RunLost, get_kind
from workforce.models import Request, Session
from workforce.sql.writing import insertions, updating, write_together

log = structlog.get_logger(__name__)


#: How many requests of one serial session a worker runs in a row before others get their turn.
RUN_ON = 20
A_WHILE = timedelta(seconds=1)
#: How long after its first start a run that the database failed is given back without counting a death. After
#: that it counts: what fails so every time ends.
GIVEN_BACK_FOR = timedelta(minutes=10)

#: What the end of a run writes.
ENDED = [
    "status", "output", "error", "ended_at", "lease_until", "counted", "input_tokens", "output_tokens",
]  # fmt: skip


def run_queue(uid: uuid.UUID) -> int:
    """Run the request if it is there to be run, and what waits behind it; returns how many ran.

    What waits behind a serial request is run by the same worker, up to twenty in a row: a message for each
    would queue behind those of every other session. When nothing waits behind it, the first that it owed is
    run at once, without a message. After one that took long, others get their turn first.
    """
    ran, following = 0, uid
    while (run := _run_one(following)) is not None:
        ran += 1
        first, follow = next(iter(run.owed), None), None
        try:
            behind = _behind(run.request)
            if ran <= RUN_ON and not _took_long(run.request):
                follow = behind or first
            if behind is not None and behind != follow:
                nudge(behind)
        finally:
            if first is not None and first != follow:
                nudge(first)
        if follow is None:
            break
        following = follow
    return ran


def try_run(uid: uuid.UUID) -> bool:
    """Run the request if it is there to be run, and tell of what waits behind it; True when this call ran it.

    Safe to call twice and from two processes. A refusal or a defect ends the request as failed; a
    database that is away leaves it to the sweep.
    """
    run = _run_one(uid)
    if run is None:
        return False
    for first in run.owed[:1]:
        nudge(first)
    if run.request.serial:
        start_next(run.request.session_id)
    return True


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of this call, and what it owed that anybody may run; nobody was told of the first of it yet."""

    request: Request
    owed: list[uuid.UUID] = field(default_factory=list)


def _run_one(uid: uuid.UUID) -> _Run | None:
    request = claim(uid)
    if request is None:
        return None
    owed: list[Request] = []
    try:
        owed = _run_claimed(request)
    except (OperationalError, InterfaceError) as error:
        _give_back(request, error)
        raise
    except Exception as defect:
        log.exception("run_failed", request=str(uid), action=request.action)
        _fail(request, type(defect).__name__)
    return _Run(request, [one.uid for one in _pending(owed)])


def _give_back(request: Request, error: Exception) -> None:
    """Leave a run that the database failed to the next sweep: nobody is told, so that it does not run hot."""
    if request.started_at is None or clock.now() - request.started_at > GIVEN_BACK_FOR:
        return
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()
    try:
        give_back(request)
    except (OperationalError, InterfaceError):  # the lease lapses
        return
    reason = f"{type(error).__name__}: {error}"[:200]
    log.warning("run_given_back", request=str(request.uid), reason=reason)


def _took_long(request: Request) -> bool:
    return request.started_at is not None and clock.now() - request.started_at > A_WHILE


def _behind(request: Request) -> uuid.UUID | None:
    """The request that the end of a serial one lets run."""
    head = head_of_queue(request.session_id) if request.serial else None
    return None if head is None else Request.objects.values_list("uid", flat=True).get(pk=head)


def _run_claimed(claimed: Request) -> list[Request]:
    """Run what was claimed: the slow part first, then effects and completion in one transaction.

    Returns what the run owed, which is committed, and told to workers but for the first that waits.
    """
    try:
        worked = _work(claimed)
    except RunLost:
        return []  # whoever has the request now decides
    except RunAborted:
        worked = None  # told to the request below
    except DomainError as refusal:
        worked = refusal
    try:
        return _end(claimed, worked)
    except DomainError as refusal:
        return _end(claimed, refusal)  # what the action wrote and owed is undone


def _end(claimed: Request, worked: Any) -> list[Request]:
    """Perform the action and end its request, in one transaction; a refusal passes through and undoes it."""
    owed: list[Request] = []
    with transaction.atomic():
        try:
            session, request = lock_run(claimed)
        except RunLost:
            return []
        if request.abort_requested_at is not None:
            request.status, request.ended_at = Request.Status.ABORTED, clock.now()
        elif isinstance(worked, DomainError):
            refuse(request, worked)
        else:
            _perform(request, session, owed, worked)
        request.lease_until = None
        write_together([updating(request, ENDED), *insertions(owed)])
        nudge_on_commit(_pending(owed)[1:])
        tell_ended(request)
    return owed


def _pending(owed: list[Request]) -> list[Request]:
    return [one for one in owed if one.status == Request.Status.PENDING]


def _work(claimed: Request) -> Any:
    """The slow part of the action, when it has one. What cannot run at all is refused by ``_perform``."""
    try:
        action = _action_of(claimed.session, claimed)
        if action.work is None or claimed.abort_requested_at is not None:
            return None
        value = validate_input(action.input, claimed.input)
    except DomainError:
        return None
    return work(action, claimed.session, claimed, value)


def _perform(request: Request, session: Session, owed: list[Request], worked: Any) -> None:
    try:
        action = _action_of(session, request)
        value = validate_input(action.input, request.input)
    except DomainError as refusal:
        fail(request, refusal)
        return
    settle(request, action.run(Call(session=session, request=request, input=value, owed=owed, worked=worked)))


def _action_of(session: Session, request: Request) -> Action:
    action = get_kind(session.kind).find_action(session, request.action)
    if action is None:
        raise NoSuchAction(f"the kind '{session.kind}' has no entry '{request.action}' any more")
    return action


def _fail(request: Request, reason: str) -> None:
    error = {
        "code": "internal-error",
        "message": f"the run failed by a defect ({reason}); the log has its trace under this request's id",
        "status": 500,
    }
    Request.objects.filter(
        pk=request.pk, claimed_by=request.claimed_by, status=Request.Status.IN_PROGRESS
    ).update(status=Request.Status.FAILED, error=error, ended_at=clock.now(), lease_until=None)
