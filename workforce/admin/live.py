"""Following a session live in the admin, and speaking in it. See docs/admin.md."""

from __future__ import annotations

import uuid
from functools import partial
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotAllowed,
    JsonResponse,
)
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import URLPattern, path, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect

from workforce.admin.shown import page_of, storable
from workforce.admin.talk import render_row
from workforce.callers import Caller
from workforce.errors import DomainError
from workforce.kinds import registered_kinds
from workforce.models import Item, Request, Session
from workforce.selectors.children import working_children
from workforce.selectors.feeds import read_session_feed
from workforce.services.idempotency import Repeat, digest_of
from workforce.services.running import ActionCall, run_action
from workforce.waits import FEED, RESUME_META, WAIT_FOR, register_feed, watch_header

#: Items that one look at a session brings.
AT_ONCE = 100
#: The name of the feed.
HTML = "html"


class LiveMixin:
    """The session's admin with ``<id>/stream/`` (see workforce_site/waiting.py) and ``<id>/say/``."""

    def get_urls(self) -> list[URLPattern]:
        views = {"stream": self._stream, "say": csrf_protect(self._say)}
        urls = [
            path(
                f"<int:object_id>/{name}/",
                never_cache(partial(self._guarded, view)),
                name=f"workforce_session_{name}",
            )
            for name, view in views.items()
        ]
        return urls + super().get_urls()  # type: ignore[misc]

    def _guarded(self, view: Any, request: HttpRequest, object_id: int) -> HttpResponseBase:
        admin: Any = self
        if not admin.admin_site.has_permission(request) or not admin.has_view_permission(request):
            raise PermissionDenied
        answer: HttpResponseBase = view(request, admin.get_object(request, str(object_id)))
        return answer

    def _stream(self, request: HttpRequest, session: Session) -> HttpResponse:
        """What came after a number, as the server in front turns it into events; 204 where there is none."""
        resumed = request.META.get(RESUME_META)
        if resumed is None:
            return HttpResponse(status=204)  # a browser asks no more
        started = resumed or request.META.get("HTTP_LAST_EVENT_ID") or request.GET.get("after", "")
        state = html_feed(session.pk, _number(started))
        if state is None:
            raise Http404
        watch = Caller(user=session.owner, organization=session.organization)
        headers = {WAIT_FOR: watch_header(state.pop("topics"), watch), FEED: f"{HTML}:{session.pk}"}
        return JsonResponse(state, headers=headers)

    def _say(self, request: HttpRequest, session: Session) -> HttpResponse:
        """Speak in the session for its owner; the request keeps who it was."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        script = request.headers.get("X-Requested-With") == "fetch"
        try:
            ended = speak(session, request)
            words = _failure(ended)
        except DomainError as refusal:
            words = f"{refusal.code}: {refusal.words}"
        if script:
            return JsonResponse({"refused": storable(words)}, status=409 if words else 200)
        if words:
            messages.error(request, storable(words))
        return redirect(_next(request, session))


def html_feed(session_id: int, after: int) -> dict[str, Any] | None:
    """What the session shows after the number, as the page shows it."""
    return read_session_feed(session_id, after, at_once=AT_ONCE, shape=_html_of, runs=_working_html)


def _html_of(item: Item) -> dict[str, Any]:
    return {"seq": item.seq, "html": render_row(item)}


def speak(session: Session, request: HttpRequest) -> Request:
    """Run the kind's speaking action with the form's words. Raises what the action refuses."""
    kind = registered_kinds().get(session.kind)
    if kind is None or kind.speaks is None:
        raise PermissionDenied
    action, field = kind.speaks
    value = {field: request.POST.get("text", "").replace("\r\n", "\n")}
    if author := request.POST.get("author"):
        value["author"] = author
    caller = Caller(user=session.owner, organization=session.organization, source=Request.Source.ADMIN)
    once = request.POST.get("once", "")[:100]
    asked = ActionCall(
        kind=session.kind,
        action=action,
        address=session.address,
        input=value,
        metadata={"by": str(request.user)},
        repeat=Repeat(key=once, path=request.path[:500], digest=digest_of(value)) if once else None,
    )
    return run_action(caller=caller, asked=asked)


def live_context(session: Session, *, is_newest: bool, authors: list[str] | None = None) -> dict[str, Any]:
    """What ``admin/workforce/talk.html`` needs beside the lines."""
    kind = registered_kinds().get(session.kind)
    context: dict[str, Any] = {"session": session}
    if is_newest:
        context["live_url"] = reverse("admin:workforce_session_stream", args=[session.pk])
        context["working"] = working_rows(session)
    if session.seat is not None and session.seat.retired_at is not None:
        context["say_closed"] = f"{session.seat.seat_id} is not hired any more: it takes no new turn."
    elif kind is not None and kind.speaks is not None:
        context |= {
            "say_url": reverse("admin:workforce_session_say", args=[session.pk]),
            "say_once": uuid.uuid4().hex,
            "say_words": f"Speak here as {session.owner.username}",
            "say_authors": authors or [],
        }
    return context


def working_rows(session: Session) -> list[dict[str, Any]]:
    """Who works below the session now, and whether the session itself does."""
    rows = [
        {"name": child.seat.seat_id if child.seat else child.address, "url": page_of(child)}
        for child in working_children(session)[:20]
    ]
    if session.seat_id and session.requests.filter(Request.IS_UNFINISHED).exists():
        rows.insert(0, {"name": session.seat.seat_id if session.seat else "", "url": page_of(session)})
    return rows


def _working_html(session: Session) -> str:
    return render_to_string("admin/workforce/working.html", {"working": working_rows(session)}).strip()


def _failure(request: Request) -> str:
    error = request.error if isinstance(request.error, dict) else None
    return f"{error['code']}: {error['message']}" if error else ""


def _next(request: HttpRequest, session: Session) -> str:
    target = request.POST.get("next", "")
    fits = url_has_allowed_host_and_scheme(target, allowed_hosts=None)
    return target if fits else page_of(session)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


# Here, not in AppConfig.ready(): commands need not load what only pages and streams use.
register_feed(HTML, html_feed)
