"""What every page of the admin shares: the organization's wall, and looking without touching."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.admin import ShowFacets
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.functional import cached_property
from unfold.admin import ModelAdmin
from unfold.views import ChangeList

from workforce.admin.access import is_superuser, may_look, within

#: How far a list counts. Past it, pages go on to that many rows and the search is the way to the rest.
COUNTED = 5_000


class CappedPaginator(Paginator):
    """Pages over at most so many rows, so that no list counts a big table."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by()[:COUNTED].count())


class ScopedChangeList(ChangeList):
    """Says how many rows there are beside those found only when something was looked for."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        if not self.has_active_filters and not self.query:
            self.full_result_count = self.result_count


class ScopedAdmin(ModelAdmin):
    """Rows of the caller's organizations only; what is another's is answered like what is not there.

    Django's rows of permissions are not asked: what a staff user may do follows from the membership.
    """

    #: Leads from a row to its organization.
    organization_path: ClassVar[str] = "organization"
    #: Query parameters beyond those of the filters; any other is refused, or lists could be probed with them.
    allowed_lookups: ClassVar[tuple[str, ...]] = ()

    actions = None
    # Facets would count a table once per choice.
    show_facets = ShowFacets.NEVER
    list_per_page = 50
    show_full_result_count = False
    paginator = CappedPaginator
    list_filter_sheet = True
    compressed_fields = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return within(request, super().get_queryset(request), self.organization_path)

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Model:
        row: Model | None = super().get_object(request, object_id, from_field)
        if row is None:
            raise Http404("there is nothing here")
        return row

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ScopedChangeList]:
        return ScopedChangeList

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        """Which organization a row is of matters to those who see several."""
        shown = list(super().get_list_display(request))
        return [*shown, "organization_shown"] if is_superuser(request) else shown

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        named = {getattr(entry, "parameter_name", None) for entry in self.list_filter}
        return lookup in named or lookup in self.allowed_lookups

    def has_module_permission(self, request: HttpRequest) -> bool:
        return may_look(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may_look(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def organization_shown(self, row: Any) -> str:
        """The slug of a row's organization; its query must have been joined."""
        for part in self.organization_path.split("__"):
            row = getattr(row, part)
        return str(row)

    # Text, not a link: to most who read it the organization's page is closed.
    organization_shown.short_description = "organization"  # type: ignore[attr-defined]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        """The row's page, with what ``page_context`` adds to it."""
        extra = dict(extra_context or {})
        if request.method in ("GET", "HEAD") and self.has_view_permission(request):
            row = self.get_object(request, object_id)
            extra |= {"title": str(row), "subtitle": None, **self.page_context(request, row)}
        return super().change_view(request, object_id, form_url, extra)

    def page_context(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """What the templates of the row's page need beside its fields. Nothing by default."""
        return {}


class SuperuserAdmin(ScopedAdmin):
    """Rows that only superusers see, add and change. Nothing is deleted: see docs/admin.md."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        if not is_superuser(request):
            raise PermissionDenied
        return super().get_queryset(request)

    def get_list_display(self, request: HttpRequest) -> list[Any]:
        return list(self.list_display)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return is_superuser(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_superuser(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return is_superuser(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return is_superuser(request)
