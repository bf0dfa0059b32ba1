"""Requests: what ran, what waits, what failed and in which words. See docs/admin.md."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from unfold.decorators import display
from unfold.paginator import InfinitePaginator

from workforce import clock
from workforce.admin.base import ScopedAdmin, ScopedChangeList
from workforce.admin.bounded import retries_of
from workforce.admin.buttons import Button, ButtonsMixin
from workforce.admin.conversations import error_of, run_row
from workforce.admin.filters import ActionFilter, EndedFilter, SourceFilter, StatusFilter, organization_filter
from workforce.admin.shown import (
    NOTHING,
    STATUS_LABELS,
    dated,
    json_block,
    link_to,
    page_of,
    session_name,
    when,
)
from workforce.admin.talk import talk_rows
from workforce.callers import Caller
from workforce.errors import DomainError
from workforce.kinds import get_kind
from workforce.models import Item, Request
from workforce.services.recovery import abort_request, is_operators, retry_request

Status = Request.Status

#: How many of the items that a request wrote its page shows.
ITEMS_SHOWN = 100


def _owner_of(request: Request) -> Caller:
    """Recovery acts for the session's owner: nobody else's sessions would admit the call."""
    session = request.session
    return Caller(user=session.owner, organization=session.organization, source=Request.Source.ADMIN)


def _retry(http: HttpRequest, request: Request) -> HttpResponse:
    again = retry_request(caller=_owner_of(request), uid=request.uid)
    if again.status == Status.FAILED:
        messages.error(http, f"it ran again and failed, with {error_of(again)[0]}; this is the new request")
    elif again.status == Status.COMPLETED:
        messages.success(http, "it ran again and is done")
    else:
        messages.success(http, "it will run again; this is the new request")
    return redirect(page_of(again))


def _abort(http: HttpRequest, request: Request) -> str:
    if abort_request(caller=_owner_of(request), uid=request.uid):
        return "it is aborted and will not run"
    return "its run will be told to stop at its next step"


def _tokens(request: Request) -> str:
    if not request.input_tokens and not request.output_tokens:
        return ""
    return f"{request.input_tokens:,} in, {request.output_tokens:,} out"


def _took(request: Request) -> str:
    """How long it ran, or has been running."""
    if request.started_at is None:
        return ""
    seconds = ((request.ended_at or clock.now()) - request.started_at).total_seconds()
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds / 60:.1f} min"


def _is_retryable(request: Request) -> bool:
    """Failed or aborted, and of an action that can be run again; the service has the last word."""
    if request.status not in (Status.FAILED, Status.ABORTED):
        return False
    try:
        action = get_kind(request.session.kind).find_action(request.session, request.action)
    except DomainError:
        return False
    return action is not None and (action.public or is_operators(action))


class RequestChangeList(ScopedChangeList):
    """Without what a run took and gave, which can be large and is not listed."""

    def get_queryset(self, request: HttpRequest, *args: Any, **kwargs: Any) -> QuerySet[Request]:
        rows: QuerySet[Request] = super().get_queryset(request, *args, **kwargs)
        return rows.defer("input", "output", "metadata", "session__state", "session__metadata")


@admin.register(Request)
class RequestAdmin(ButtonsMixin, ScopedAdmin):
    """Requests, newest first, with two buttons: retry and abort."""

    organization_path = "session__organization"
    allowed_lookups = ("session__id__exact",)
    buttons = (
        Button(
            name="retry",
            label="Retry…",
            words="Makes a new request with the same input, in the name of the session's owner.",
            act=_retry,
            allowed=lambda http, request: True,
            fits=_is_retryable,
            icon="replay",
        ),
        Button(
            name="abort",
            label="Abort…",
            words="A waiting request will not run. A running one is told to stop at its next step.",
            act=_abort,
            allowed=lambda http, request: True,
            fits=lambda request: not request.finished,
            icon="stop_circle",
            grave=True,
        ),
    )
    list_display = ["action", "status_shown", "code", "session_shown", "source", "age", "attempts"]
    list_filter = [
        StatusFilter, EndedFilter, ActionFilter, SourceFilter, organization_filter("session__organization"),
    ]  # fmt: skip
    list_select_related = ["session__organization"]
    search_fields = ["uid"]
    search_help_text = "a request's id, a chain's id, or the beginning of a session's id"
    ordering = ["-pk"]
    sortable_by: ClassVar[list[str]] = []
    paginator = InfinitePaginator
    fieldsets = [
        (
            None,
            {
                "fields": [
                    "uid", "action", "status", "session_shown", "source", "passname",
                    "attempts", "made", "started", "ended", "lease", "abort_asked", "tokens",
                ]
            },
        ),
        ("Input", {"fields": ["input_shown"]}),
        ("Output", {"fields": ["output_shown"]}),
        ("Error", {"fields": ["error_json"]}),
        ("Metadata", {"fields": ["metadata_shown"], "classes": ["collapse"]}),
    ]  # fmt: skip
    readonly_fields = [
        "uid", "session_shown", "made", "started", "ended", "lease",
        "abort_asked", "tokens", "input_shown", "output_shown", "error_json", "metadata_shown",
    ]  # fmt: skip
    change_form_outer_before_template = "admin/workforce/request_top.html"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Request]:
        rows = super().get_queryset(request)
        return rows.select_related("session__organization", "session__owner", "session__seat")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[RequestChangeList]:
        return RequestChangeList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Request], search_term: str
    ) -> tuple[QuerySet[Request], bool]:
        """An id finds its request and its chain; anything else is the beginning of a session's id."""
        term = search_term.strip()
        if not term:
            return queryset, False
        try:
            uid = uuid.UUID(term)
        except ValueError:
            return queryset.filter(session__address__startswith=term), False
        return queryset.filter(uid=uid) | queryset.filter(chain_uid=uid), False

    @display(description="status", label=STATUS_LABELS)
    def status_shown(self, request: Request) -> tuple[str, str]:
        return request.status, request.get_status_display()

    @display(description="error")
    def code(self, request: Request) -> str:
        return error_of(request)[0] or NOTHING

    @display(description="session")
    def session_shown(self, request: Request) -> str:
        return link_to(request.session, session_name(request.session))

    @display(description="age")
    def age(self, request: Request) -> str:
        return when(request.created_at)

    @display(description="made")
    def made(self, request: Request) -> str:
        return dated(request.created_at)

    @display(description="started")
    def started(self, request: Request) -> str:
        return dated(request.started_at)

    @display(description="ended")
    def ended(self, request: Request) -> str:
        return dated(request.ended_at)

    @display(description="lease until")
    def lease(self, request: Request) -> str:
        return NOTHING if request.finished else dated(request.lease_until)

    @display(description="abort asked for")
    def abort_asked(self, request: Request) -> str:
        return dated(request.abort_requested_at)

    @display(description="tokens")
    def tokens(self, request: Request) -> str:
        return _tokens(request) or NOTHING

    @display(description="input")
    def input_shown(self, request: Request) -> str:
        return json_block(request.input)

    @display(description="output")
    def output_shown(self, request: Request) -> str:
        return json_block(request.output)

    @display(description="error")
    def error_json(self, request: Request) -> str:
        return json_block(request.error)

    @display(description="metadata")
    def metadata_shown(self, request: Request) -> str:
        return json_block(request.metadata)

    def page_context(self, request: HttpRequest, row: Request) -> dict[str, Any]:
        items = list(Item.objects.filter(request=row).order_by("seq")[: ITEMS_SHOWN + 1])
        seat = row.session.seat
        return {
            "talk": talk_rows(items[:ITEMS_SHOWN]),
            "more_items": len(items) > ITEMS_SHOWN,
            "seat": seat,
            "seat_url": page_of(seat) if seat else "",
            "took": _took(row),
            "tokens": _tokens(row),
            "title": f"{row.action} in {row.session}"[:200],
            "buttons": (buttons := self.shown_buttons(request, row)),
            "is_final": row.status in (Status.FAILED, Status.ABORTED) and not buttons,
            "run": run_row(row) | {"words": error_of(row)[1]},
            "session_url": page_of(row.session),
            "relatives": self._relatives(request, row),
        }

    def _relatives(self, http: HttpRequest, row: Request) -> list[dict[str, Any]]:
        """The requests around this one, with what each is to it."""
        asked = {row.parent_uid: "caused by", row.retry_of_uid: "retry of", row.chain_uid: "chain began with"}
        wanted = [uid for uid in asked if uid is not None and uid != row.uid]
        retries = retries_of(row) if row.finished else []
        visible = self.get_queryset(http).defer("input", "output", "metadata")
        found = visible.filter(uid__in=wanted) | visible.filter(pk__in=retries)
        return [
            {"relation": asked.get(other.uid, "retried as"), **run_row(other)}
            for other in found.order_by("pk")
        ]
