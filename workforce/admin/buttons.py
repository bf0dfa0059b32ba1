"""Buttons: what an operator does to a row. A POST with a CSRF token, one service call, its answer in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.urls import URLPattern, path, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect

from workforce.admin.shown import page_of, storable
from workforce.errors import DomainError


@dataclass(frozen=True, slots=True)
class Button:
    """One act on a row: ``act`` calls a service and returns the words of its success, or a page of its own.

    ``fits`` says whether the row's state admits it (the service has the last word), ``allowed`` whether the
    caller may. ``words`` tell what will happen before it does. ``fields`` makes the form that comes with it.
    """

    name: str
    label: str
    words: str
    act: Callable[[HttpRequest, Any], str | HttpResponse]
    allowed: Callable[[HttpRequest, Any], bool]
    fits: Callable[[Any], bool] = lambda row: True
    fields: Callable[[], Any] | None = None
    grave: bool = False
    icon: str = ""


@dataclass(frozen=True, slots=True)
class ShownButton:
    """A button on a page: where it posts to, and its form's fields."""

    button: Button
    url: str
    form: Any = field(default=None)


class ButtonsMixin:
    """A ModelAdmin with ``buttons``: each answers POST at ``<id>/<name>/``, and 405 to anything else."""

    buttons: Sequence[Button] = ()

    def get_urls(self) -> list[URLPattern]:
        admin: Any = self
        urls = [
            path(
                f"<int:object_id>/{button.name}/",
                csrf_protect(never_cache(partial(self._press, button))),
                name=f"{admin.opts.app_label}_{admin.opts.model_name}_{button.name}",
            )
            for button in self.buttons
        ]
        return urls + super().get_urls()  # type: ignore[misc]

    def shown_buttons(self, request: HttpRequest, row: Any) -> list[ShownButton]:
        """The buttons that the caller may press on this row now."""
        admin: Any = self
        prefix = f"admin:{admin.opts.app_label}_{admin.opts.model_name}"
        return [
            ShownButton(
                button,
                reverse(f"{prefix}_{button.name}", args=[row.pk]),
                button.fields() if button.fields else None,
            )
            for button in self.buttons
            if button.allowed(request, row) and button.fits(row)
        ]

    def _press(self, button: Button, request: HttpRequest, object_id: int) -> HttpResponseBase:
        admin: Any = self
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        if not admin.admin_site.has_permission(request):
            # Back to the row's page: after the login the address of a button would answer 405.
            back = reverse(f"admin:{admin.opts.app_label}_{admin.opts.model_name}_change", args=[object_id])
            return redirect_to_login(back, reverse("admin:login"))
        row = admin.get_object(request, str(object_id))
        if not button.allowed(request, row):
            raise PermissionDenied
        try:
            answer = button.act(request, row)
        except DomainError as refusal:
            messages.error(request, storable(f"{refusal.words} ({refusal.code})"))
            return redirect(page_of(row))
        # The log names who pressed what; it never holds what was shown.
        admin.log_change(request, row, f"{button.label.rstrip('…')}.")
        if isinstance(answer, HttpResponse):
            return answer
        messages.success(request, storable(answer))
        return redirect(page_of(row))
