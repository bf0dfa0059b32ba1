"""Hiring, forking, editing and firing a user's own workers in the admin. See docs/admin.md."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect

from workforce.admin.access import may_look, visible_organizations
from workforce.admin.buttons import Button
from workforce.admin.shown import page_of, storable
from workforce.admin.workerforms import HireForm, OwnedForm, RefusableForm, WorkerForm
from workforce.callers import Caller
from workforce.errors import DomainError
from workforce.models import Organization, Request, Seat, User
from workforce.selectors.workers import find_worker
from workforce.services.workers import edit_worker, fire_worker, fork_worker, hire_worker
from workforce.workererrors import StandardWorker


def is_forkable(seat: Seat) -> bool:
    """Whether a copy of it can be hired."""
    return seat.retired_at is None


def is_editable(seat: Seat) -> bool:
    """Whether it is a user's own that is not fired: the tree decides the others."""
    return seat.owner_id is not None and seat.retired_at is None


def _as(user: User, organization: Organization) -> Caller:
    return Caller(user=user, organization=organization, source=Request.Source.ADMIN)


def _as_owner(seat: Seat, verb: str) -> Caller:
    if seat.owner is None:
        raise StandardWorker.of(seat.seat_id, verb)
    return _as(seat.owner, seat.organization)


def _fire(request: HttpRequest, seat: Seat) -> str:
    fire_worker(caller=_as_owner(seat, "fired"), worker_id=seat.seat_id)
    return f"'{seat}' is fired: its conversations stay, no new turn runs as it"


FIRE = Button(
    name="fire",
    label="Fire…",
    words="Retires this worker of its user. Its conversations stay readable; no new turn runs as it. "
    "Hiring the id again brings it back.",
    act=_fire,
    allowed=lambda request, seat: may_look(request),
    fits=is_editable,
    icon="person_off",
    grave=True,
)


class HiringMixin:
    """A ModelAdmin of seats with the pages that hire (``add/``), fork (``<id>/fork/``) and edit (``<id>/edit/``)."""

    def get_urls(self) -> list[URLPattern]:
        admin: Any = self
        pages = {"fork": self._fork_page, "edit": self._edit_page}
        urls = [
            path(
                f"<int:object_id>/{name}/",
                admin.admin_site.admin_view(csrf_protect(never_cache(view))),
                name=f"workforce_seat_{name}",
            )
            for name, view in pages.items()
        ]
        return urls + super().get_urls()  # type: ignore[misc]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return may_look(request)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponseBase:
        """Hire a worker for a member of an organization."""
        if not may_look(request):
            raise PermissionDenied
        organizations = visible_organizations(request)
        likely = organizations.filter(slug=settings.DEFAULT_ORGANIZATION).first() or organizations.first()
        form = HireForm(
            request.POST if request.method == "POST" else None,
            organizations=organizations,
            initial={"user": request.user.get_username(), "organization": likely, "flow": "agent"},
        )
        page = {
            "title": "Hire a worker",
            "words": "A worker of one user's own, judged by the rules of a WORKER.md. Standard workers, which "
            "everybody has, come from the tree.",
            "submit": "Hire",
        }
        return self._answer(request, form, page, partial(_hire, form))

    def _fork_page(self, request: HttpRequest, object_id: int) -> HttpResponseBase:
        seat = self._seat(request, object_id, is_forkable)
        form = OwnedForm(
            request.POST if request.method == "POST" else None,
            initial={"user": seat.owner.username if seat.owner else request.user.get_username()},
        )
        page = {
            "title": f"Fork {seat}",
            "words": "A copy as it is now, of one user's own: its instructions, its team's, its settings. Later "
            "changes of the original do not reach it.",
            "submit": "Fork",
        }
        return self._answer(request, form, page, partial(_fork, form, seat))

    def _edit_page(self, request: HttpRequest, object_id: int) -> HttpResponseBase:
        seat = self._seat(request, object_id, is_editable)
        form = WorkerForm(
            request.POST if request.method == "POST" else None, initial=WorkerForm.initial_of(seat)
        )
        page = {
            "title": f"Edit {seat}",
            "words": "The next turn runs with it.",
            "submit": "Save",
        }
        return self._answer(request, form, page, partial(_edit, form, seat))

    def _seat(self, request: HttpRequest, object_id: int, fits: Callable[[Seat], bool]) -> Seat:
        admin: Any = self
        seat: Seat = admin.get_object(request, str(object_id))
        if not fits(seat):
            raise PermissionDenied
        return seat

    def _answer(
        self, request: HttpRequest, form: RefusableForm, page: dict[str, Any], act: Callable[[], Seat | None]
    ) -> HttpResponseBase:
        """Do what the form asks for and go to the seat, or show the form with what is wrong."""
        admin: Any = self
        if request.method == "POST" and form.is_valid():
            try:
                seat = act()
            except DomainError as refusal:
                form.refuse(refusal)
            else:
                if seat is not None:
                    admin.log_change(request, seat, f"{page['submit']}.")
                    messages.success(request, storable(f"'{seat}' is on the roster of {seat.owner}"))
                    return redirect(page_of(seat))
        context = {**admin.admin_site.each_context(request), "opts": admin.opts, "form": form, **page}
        return TemplateResponse(request, "admin/workforce/worker_form.html", context)


def _hire(form: HireForm) -> Seat | None:
    data = form.cleaned_data
    user = form.owner_in(data["organization"])
    if user is None:
        return None
    return hire_worker(
        caller=_as(user, data["organization"]),
        worker_id=data["worker_id"],
        flow=data["flow"],
        description=data["description"] or None,
        instructions=data["instructions"],
        settings=data["settings"],
    )


def _fork(form: OwnedForm, seat: Seat) -> Seat | None:
    user = form.owner_in(seat.organization)
    if user is None:
        return None
    meant = find_worker(organization=seat.organization, user=user, worker_id=seat.seat_id)
    if meant is not None and meant.pk != seat.pk:  # the service goes by the id, as the user would
        form.add_error(
            "user", f"To {user.username} the id {seat} means a worker of their own; fork that one."
        )
        return None
    caller = _as(user, seat.organization)
    return fork_worker(caller=caller, origin=seat.seat_id, worker_id=form.cleaned_data["worker_id"])


def _edit(form: WorkerForm, seat: Seat) -> Seat:
    data = form.cleaned_data
    description = data["description"] if data["description"] or seat.description else None
    return edit_worker(
        caller=_as_owner(seat, "edited"),
        worker_id=seat.seat_id,
        flow=data["flow"],
        description=description,
        instructions=data["instructions"],
        settings=data["settings"],
    )
