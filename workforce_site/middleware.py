"""The front door of every call: its id, its log line, and the rules that hold for the whole API."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable
from http import HTTPStatus

import structlog
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponseBase

from workforce.api.metrics import CALLS
from workforce.api.problems import body_of, problem_answer, problem_body, refusal_of
from workforce.errors import InvalidInput, TooLarge

Next = Callable[[HttpRequest], HttpResponse]
log = structlog.get_logger("workforce.http")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
_KEY = re.compile(r"wfk_[^/\s]+")
_SESSION = re.compile(r"[a-z0-9]{8,64}")
_DRAINED = 8 * 1024 * 1024


class RequestIdMiddleware:
    """Give the call an id (the caller's own when it is harmless), answer with it and log one line."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = given if _REQUEST_ID.fullmatch(given) else uuid.uuid4().hex
        structlog.contextvars.bind_contextvars(request_id=request_id)
        _drop_broken_cookie(request)
        started = time.perf_counter()
        try:
            response = self.get_response(request)
            self._observe(request, response, time.perf_counter() - started)
        finally:
            structlog.contextvars.clear_contextvars()
        response["X-Request-Id"] = request_id
        # The line of the call, and of what went wrong in it, is written; Django's own would say it once more.
        response._has_been_logged = True  # type: ignore[attr-defined]
        return response

    def _observe(self, request: HttpRequest, response: HttpResponse, seconds: float) -> None:
        match = request.resolver_match
        route = match.route if match else "unknown"
        method = request.method if request.method in _METHODS else "other"
        CALLS.labels(route, method, response.status_code).observe(seconds)
        log.info(
            "call", method=method, path=_without_keys(request.path_info), status=response.status_code,
            ms=round(seconds * 1000, 1),
        )  # fmt: skip


def _without_keys(path: str) -> str:
    """A path as a log may hold it: somebody may have put a key where an id belongs."""
    return _KEY.sub("wfk_…", path[:300])


def _drop_broken_cookie(request: HttpRequest) -> None:
    """A session cookie that cannot be one is none: some databases refuse to look it up."""
    name = settings.SESSION_COOKIE_NAME
    if name in request.META.get("HTTP_COOKIE", "") and not _SESSION.fullmatch(request.COOKIES.get(name, "")):
        request.COOKIES.pop(name, None)


class ApiMiddleware:
    """What holds for every path of the API: both spellings of a path, the size of a body, one shape of error."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if "\x00" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
            return problem_answer(
                body_of(InvalidInput("the path or query contains a NUL character; leave it out"))
            )
        if not is_api(request.path_info):
            return self.get_response(request)
        try:
            request.get_host()
        except DisallowedHost:
            words = "this host name is not served; an operator can add it to ALLOWED_HOSTS"
            return problem_answer(body_of(InvalidInput.at("Host", words)))
        if request.path_info.endswith("/"):
            request.path_info = request.path_info[:-1]
        too_large = self._check_size(request)
        if too_large is not None:
            return problem_answer(body_of(too_large))
        response = self.get_response(request)
        if response.status_code >= HTTPStatus.BAD_REQUEST and "json" not in response.headers.get(
            "Content-Type", ""
        ):
            return _as_problem(response)
        return response

    def _check_size(self, request: HttpRequest) -> TooLarge | None:
        try:
            size = int(request.META.get("CONTENT_LENGTH") or 0)
        except ValueError:
            size = 0
        if size <= settings.MAX_BODY_BYTES:
            return None
        # Read what was sent, within reason, so that the client reads the answer instead of a reset.
        left = min(size, _DRAINED)
        while left > 0:
            chunk = request.read(min(left, 65_536))
            if not chunk:
                break
            left -= len(chunk)
        return TooLarge(
            f"the body has {size} bytes; the limit is {settings.MAX_BODY_BYTES}",
            size=size,
            limit=settings.MAX_BODY_BYTES,
        )

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        """A refusal outside of a REST view, or a defect: a problem document, never a trace."""
        if not is_api(request.path_info):
            return None
        refusal = refusal_of(error)
        if refusal is not None:
            return problem_answer(body_of(refusal))
        log.exception("defect", path=_without_keys(request.path_info))
        return problem_answer(
            problem_body("internal-error", 500, "a defect; the log has it under this X-Request-Id")
        )


def is_api(path: str) -> bool:
    """Whether a path belongs to the machines' surface, however many slashes it starts with."""
    path = "/" + path.lstrip("/")
    return path.startswith("/api/") or path.removesuffix("/") in ("/api", "/metrics", "/healthz", "/readyz")


def _as_problem(response: HttpResponse) -> HttpResponse:
    """Django's own pages for a refusal (a bad host, CSRF) as a problem document."""
    status = response.status_code
    code = {400: "invalid-input", 403: "not-allowed", 404: "not-found", 405: "method-not-allowed"}.get(
        status, "internal-error"
    )
    headers = {"Allow": response["Allow"]} if "Allow" in response else {}
    return problem_answer(problem_body(code, status, HTTPStatus(status).description or code), headers)
