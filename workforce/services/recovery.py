"""Stopping a request, and running one that failed again."""

from __future__ import annotations

import uuid
from functools import partial

from django.db import transaction

from workforce import clock
from workforce.callers import Caller
from workforce.dispatch.run import start_next
from workforce.errors import NotNow
from workforce.kinds import get_kind
from workforce.models import Request
from workforce.selectors.access import access_request
from workforce.services.running import ActionCall, no_such_action, run_action


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
    """Run a failed or aborted request of a public action again: a new request with the same input.

    Raises NotFound, NotRetryable, and what the action itself raises before it runs.
    """
    with transaction.atomic():
        old = access_request(caller=caller, uid=uid)
        if old.status not in (Request.Status.FAILED, Request.Status.ABORTED):
            raise NotRetryable(f"the request is {old.status}; only a failed or aborted one can be retried")
        kind = get_kind(old.session.kind)
        action = kind.find_action(old.session, old.action)
        if action is None or not action.public:
            raise no_such_action(kind, old.action)
        asked = ActionCall(
            kind=kind.name,
            action=old.action,
            address=old.session.address,
            input=old.input,
            metadata=old.metadata,
            retry_of=old.uid,
        )
        return run_action(caller=caller, asked=asked)
