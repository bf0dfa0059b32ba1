"""How a request ends, whoever ran it."""

from __future__ import annotations

from typing import Any

from workforce import clock
from workforce.errors import DomainError
from workforce.kinds import Failure
from workforce.models import Request


def settle(request: Request, result: Any) -> None:
    """End the request by what its action returned: an output, or a failure that keeps what was written."""
    if isinstance(result, Failure):
        fail(request, result.refusal)
    else:
        complete(request, result)


def complete(request: Request, output: Any) -> None:
    """The action's output is the request's, which has ended."""
    request.output, request.status, request.ended_at = output, Request.Status.COMPLETED, clock.now()


def refuse(request: Request, refusal: DomainError) -> None:
    """The refusal is the request's ending; nothing that the action wrote counts."""
    request.output, request.counted = None, Request.Counted.NO
    fail(request, refusal)


def fail(request: Request, refusal: DomainError) -> None:
    """The refusal is the request's ending; what its action wrote stays."""
    request.error, request.status, request.ended_at = error_of(refusal), Request.Status.FAILED, clock.now()


def error_of(refusal: DomainError) -> dict[str, Any]:
    """A refusal as a failed request keeps it."""
    extra = {key: value for key, value in refusal.data.items() if value}
    return {"code": refusal.code, "message": refusal.words, "status": refusal.status, **extra}
