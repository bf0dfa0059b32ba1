"""Running a claimed request: its effects and its completion commit together."""

from __future__ import annotations

import uuid

import structlog
from django.db import InterfaceError, OperationalError, transaction

from workforce import clock
from workforce.dispatch.claim import claim, head_of_queue
from workforce.dispatch.perform import error_of, perform
from workforce.dispatch.start import nudge, nudge_on_commit
from workforce.errors import DomainError, NoSuchAction
from workforce.inputs import validate_input
from workforce.kinds import Action, Call, get_kind
from workforce.models import Request, Session

log = structlog.get_logger(__name__)


#: How many requests of one serial session a worker runs in a row before others get their turn.
RUN_ON = 20


def run_queue(uid: uuid.UUID) -> int:
    """Run the request if it is there to be run, and what waits behind it; returns how many ran.

    What waits behind a serial request is run by the same worker, up to twenty in a row: a message for each
    would queue behind those of every other session.
    """
    request = _run_one(uid)
    ran = 0
    while request is not None:
        ran += 1
        behind = _behind(request)
        if behind is None or ran > RUN_ON:
            break
        request = _run_one(behind)
    if request is not None:
        start_next(request.session_id)
    return ran


def try_run(uid: uuid.UUID) -> bool:
    """Run the request if it is there to be run, and tell of what waits behind it; True when this call ran it.

    Safe to call twice and from two processes. A refusal or a defect ends the request as failed; a
    database that is away leaves it to the sweep.
    """
    request = _run_one(uid)
    if request is None:
        return False
    if request.serial:
        start_next(request.session_id)
    return True


def _run_one(uid: uuid.UUID) -> Request | None:
    request = claim(uid)
    if request is None:
        return None
    try:
        _run_claimed(request)
    except (OperationalError, InterfaceError):
        raise
    except Exception as defect:
        log.exception("run_failed", request=str(uid), action=request.action)
        _fail(request, type(defect).__name__)
    return request


def _behind(request: Request) -> uuid.UUID | None:
    """The request that the end of a serial one lets run."""
    head = head_of_queue(request.session_id) if request.serial else None
    return None if head is None else Request.objects.values_list("uid", flat=True).get(pk=head)


def _run_claimed(claimed: Request) -> None:
    with transaction.atomic():
        # Of the session alone: PostgreSQL cannot lock what an outer join may leave empty.
        sessions = Session.objects.select_for_update(of=("self",)).select_related("owner", "seat")
        session = sessions.get(pk=claimed.session_id)
        request = Request.objects.select_for_update().get(pk=claimed.pk)
        if request.claimed_by != claimed.claimed_by or request.finished:
            return  # the lease was lost: whoever has it now decides
        request.session = session
        owed: list[Request] = []
        if request.abort_requested_at is not None:
            request.status, request.ended_at = Request.Status.ABORTED, clock.now()
        else:
            _perform(request, session, owed)
        request.lease_until = None
        request.save(update_fields=["status", "output", "error", "ended_at", "lease_until", "counted"])
        Request.objects.bulk_create(owed)
        nudge_on_commit(owed)


def _perform(request: Request, session: Session, owed: list[Request]) -> None:
    try:
        action = _action_of(session, request)
        value = validate_input(action.input, request.input)
    except DomainError as refusal:
        request.error, request.status = error_of(refusal), Request.Status.FAILED
        request.ended_at = clock.now()
        return
    perform(action, Call(session=session, request=request, input=value, owed=owed))


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


def start_next(session_id: int) -> None:
    """Tell a worker of the session's oldest unfinished serial request: what stood before it has ended."""
    head = head_of_queue(session_id)
    if head is not None:
        nudge(Request.objects.values_list("uid", flat=True).get(pk=head))
