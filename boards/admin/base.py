"""What the pages of boards and of rows share: they are looked at, and change by acts of their own."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.template.response import TemplateResponse

from workforce.admin.base import ScopedAdmin


class ActedAdmin(ScopedAdmin):
    """A model whose rows have a page without a form; ``shown`` says what it shows."""

    #: The template of a row's page.
    page_template: str

    def row_of(self, request: HttpRequest, object_id: Any) -> Any:
        """The row, for somebody who may look at it and so may act on it. Raises PermissionDenied, Http404."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        return self.get_object(request, str(object_id))

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The row's page."""
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(["GET", "HEAD"])
        context = self.shown(request, self.row_of(request, object_id))
        return TemplateResponse(request, self.page_template, context)

    def shown(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """The context of the row's page."""
        raise NotImplementedError

    def site_context(self, request: HttpRequest, **more: Any) -> dict[str, Any]:
        """What every page around a row needs."""
        return {**self.admin_site.each_context(request), "opts": self.opts, **more}
