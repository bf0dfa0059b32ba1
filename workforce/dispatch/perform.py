"""Running one action, whoever starts it."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from workforce import clock
from workforce.errors import DomainError
from workforce.kinds import Action, Call
from workforce.models import Request


def perform(action: Action, call: Call) -> None:
    """Run the action in a savepoint and leave its ending on the request, unsaved.

    A refusal rolls back everything the action wrote and owed; the request then says what was refused.
    Any other exception is a defect and passes through.
    """
    request = call.request
    try:
        with transaction.atomic():
            request.output = action.run(call)
        request.status = Request.Status.COMPLETED
    except DomainError as refusal:
        call.owed.clear()
        request.counted = Request.Counted.NO
        request.output = None
        request.error = error_of(refusal)
        request.status = Request.Status.FAILED
    request.ended_at = clock.now()


def error_of(refusal: DomainError) -> dict[str, Any]:
    """A refusal as a failed request keeps it."""
    extra = {key: value for key, value in refusal.data.items() if value}
    return {"code": refusal.code, "message": refusal.words, "status": refusal.status, **extra}
