"""Stopping a request, and running one that failed again."""

from __future__ import annotations

import uuid
from functools import partial

from django.db import IntegrityError, transaction

from workforce import clock
from workforce.callers import Caller
from workforce.dispatch.start import nudge_on_commit, start_next
from workforce.errors import NotNow
from workforce.kinds import Action, Mode, get_kind
from workforce.models import Request, Session
from workforce.selectors.access import access_request
from workforce.services.running import ActionCall, no_such_action, run_action

_RETRIED = "the request was retried already; look at the request that did"


class AlreadyEnded(NotNow):
    """The request has ended; there is nothing to abort."""

    code = "already-ended"


class NotRetryable(NotNow):
    """Only a failed or aborted request of a public action can be retried."""

    code = "not-retryable"


def abort_request(*, caller: Caller, uid: uuid.UUID) -> bool:
    """Stop a request. True when it is aborted now, False when its run will be told at its next step.

    Raises NotFound and AlreadyEnded.
    """
    request = access_request(caller=caller, uid=uid)
    moment = clock.now()
    pending = Request.objects.filter(pk=request.pk, status=Request.Status.PENDING)
    if pending.update(status=Request.Status.ABORTED, abort_requested_at=moment, ended_at=moment):
        if request.serial:
            transaction.on_commit(partial(start_next, request.session_id))
        return True
    running = Request.objects.filter(pk=request.pk, status=Request.Status.IN_PROGRESS)
    if running.update(abort_requested_at=moment):
        return False
    request.refresh_from_db()
    raise AlreadyEnded(f"the request has ended ({request.status}); there is nothing to abort")


def retry_request(*, caller: Caller, uid: uuid.UUID) -> Request:
    """Run a failed or aborted request again: a new request with the same input.

    Clients may retry public actions, anew when that failed too: two presses at once are one run. From the admin,
    an internal entry can be retried too (what a worker gave up as ``abandoned`` is most often one), once, since it
    may have done its work in part. Raises NotFound, NotRetryable, and what the action itself raises before it runs.
    """
    with transaction.atomic():
        old = access_request(caller=caller, uid=uid)
        if old.status not in (Request.Status.FAILED, Request.Status.ABORTED):
            raise NotRetryable(f"the request is {old.status}; only a failed or aborted one can be retried")
        kind = get_kind(old.session.kind)
        action = kind.find_action(old.session, old.action)
        if action is not None and is_operators(action) and caller.source == Request.Source.ADMIN:
            return _dispatch_again(old)
        if action is None or not action.public:
            raise no_such_action(kind, old.session, old.action)
        _check_not_retried(old)
        asked = ActionCall(
            kind=kind.name,
            action=old.action,
            address=old.session.address,
            input=old.input,
            metadata=old.metadata,
            retry_of=old.uid,
        )
        return run_action(caller=caller, asked=asked)


def is_operators(action: Action) -> bool:
    """Whether an action is an internal entry that only an operator may retry."""
    return not action.public and action.mode is Mode.BACKGROUND


def _check_not_retried(old: Request) -> None:
    """Raise NotRetryable when a retry is under way or did what was asked. The session is locked: one call at a time."""
    Session.objects.select_for_update(no_key=True).filter(pk=old.session_id).first()
    retries = Request.objects.filter(retry_of_uid=old.uid)
    if retries.exclude(status__in=(Request.Status.FAILED, Request.Status.ABORTED)).exists():
        raise NotRetryable(_RETRIED)


def _dispatch_again(old: Request) -> Request:
    again = Request(
        session=old.session,
        action=old.action,
        source=old.source,
        input=old.input,
        serial=old.serial,
        parent_uid=old.parent_uid,
        chain_uid=old.chain_uid,
        retry_of_uid=old.uid,
        dispatch_key=f"retry:{old.uid}",
    )
    try:
        with transaction.atomic():
            again.save(force_insert=True)
    except IntegrityError:
        raise NotRetryable(_RETRIED) from None
    nudge_on_commit([again])
    return again
