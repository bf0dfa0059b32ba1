"""The one translator from errors to HTTP: problem documents (RFC 9457). See docs/errors.md."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import structlog
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import DataError, InterfaceError, OperationalError
from django.http import Http404, JsonResponse
from rest_framework import exceptions
from rest_framework.response import Response

from workforce.errors import (
    DomainError,
    InvalidInput,
    InvalidJson,
    MethodNotAllowed,
    NotAllowed,
    NotFound,
    NotJson,
    Throttled,
    Unauthenticated,
    Unavailable,
)

CONTENT_TYPE = "application/problem+json"
log = structlog.get_logger(__name__)


def problem_body(code: str, status: int, detail: str, extra: dict[str, Any] | None = None) -> dict[str, Any]:
    """A problem document. ``code`` is the interface; the words may change."""
    return {
        "type": f"urn:workforce:problem:{code}",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        "code": code,
        **(extra or {}),
    }


def body_of(refusal: DomainError) -> dict[str, Any]:
    """The problem document of a refusal."""
    extra = {key: value for key, value in refusal.data.items() if value}
    return problem_body(refusal.code, refusal.status, refusal.words, extra)


def headers_of(status: int) -> dict[str, str]:
    """The headers that a status owes its reader."""
    if status == HTTPStatus.UNAUTHORIZED:
        return {"WWW-Authenticate": 'Bearer realm="workforce"'}
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        return {"Retry-After": "1"}
    return {}


def problem_answer(body: dict[str, Any], headers: dict[str, str] | None = None) -> JsonResponse:
    """A problem document outside of a REST view (middleware, unknown paths)."""
    status = body["status"]
    return JsonResponse(
        body, status=status, content_type=CONTENT_TYPE, headers={**headers_of(status), **(headers or {})}
    )


def exception_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """What a REST view answers when something is raised in it; None lets a defect through."""
    headers: dict[str, str] = {}
    if isinstance(error, exceptions.Throttled):
        headers["Retry-After"] = str(max(1, round(getattr(error, "wait", None) or 1)))
    if isinstance(error, exceptions.MethodNotAllowed):
        headers["Allow"] = ", ".join(context["view"].allowed_methods)
    refusal = refusal_of(error, context)
    if refusal is None:
        return None
    return problem_response(body_of(refusal), headers)


def problem_response(body: dict[str, Any], headers: dict[str, str] | None = None) -> Response:
    """A problem document from a REST view."""
    status = body["status"]
    return Response(
        body, status=status, content_type=CONTENT_TYPE, headers={**headers_of(status), **(headers or {})}
    )


def refusal_of(error: Exception, context: dict[str, Any] | None = None) -> DomainError | None:
    """Any error that a caller can cause, as a refusal; None for a defect."""
    if isinstance(error, DomainError):
        return error
    if isinstance(error, (OperationalError, InterfaceError)):
        log.warning("database_unavailable", reason=type(error).__name__)
        return Unavailable()
    if isinstance(error, (DataError, OverflowError)):
        # Every input is bounded before; this is the net under it.
        log.error("unbounded_input", reason=str(error)[:200])
        return InvalidInput("a value is outside of what can be kept; send a smaller one")
    return _framework_refusal(error, context or {})


def _framework_refusal(error: Exception, context: dict[str, Any]) -> DomainError | None:
    match error:
        case Http404():
            return NotFound()
        case PermissionDenied() | exceptions.PermissionDenied():
            return NotAllowed(str(getattr(error, "detail", "")) or None)
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            return Unauthenticated()
        case exceptions.MethodNotAllowed():
            allowed = ", ".join(context["view"].allowed_methods) if context else ""
            method = context["request"].method if context else ""
            return MethodNotAllowed(f"this path does not answer {method}; it answers {allowed}")
        case SuspiciousOperation():  # Django's own limits, such as a thousand query parameters
            return InvalidInput(str(error)[:200] or None)
        case exceptions.UnsupportedMediaType():
            return NotJson()
        case exceptions.ParseError():
            return InvalidJson(str(error.detail))
        case exceptions.Throttled():
            return Throttled()
        case exceptions.ValidationError():
            return InvalidInput(str(error.detail)[:500])
    return None
