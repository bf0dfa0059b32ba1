"""The roster: who is hired, with what, and who works now. See docs/admin.md, "The roster"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from unfold.decorators import display

from workforce.admin.base import ScopedAdmin, ScopedChangeList
from workforce.admin.buttons import ButtonsMixin
from workforce.admin.conversations import conversation_rows
from workforce.admin.filters import OrganizationFilter, RetiredFilter
from workforce.admin.hiring import FIRE, HiringMixin, is_editable, is_forkable
from workforce.admin.shown import NOTHING, block, dated, json_block, page_of, shortened
from workforce.kinds import worker_kinds
from workforce.models import InventoryMailbox, InventoryMembership, Seat
from workforce.selectors.shifts import Shift, seats_standing, standings_of

#: How many mailboxes a seat's page lists.
MAILBOXES_SHOWN = 100


class WhoseFilter(admin.SimpleListFilter):
    title = "hired by"
    parameter_name = "whose"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("standard", "the tree"), ("own", "a user")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Seat]) -> QuerySet[Seat]:
        if self.value() not in ("standard", "own"):
            return queryset
        return queryset.filter(owner__isnull=self.value() == "standard")


class WorkerKindFilter(admin.SimpleListFilter):
    """The kinds that a worker can have."""

    title = "kind"
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, name) for name in sorted(worker_kinds())]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Seat]) -> QuerySet[Seat]:
        return queryset.filter(kind=self.value()) if self.value() else queryset


class ShiftFilter(admin.SimpleListFilter):
    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(_slug(shift), shift) for shift in Shift]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Seat]) -> QuerySet[Seat]:
        chosen = next((shift for shift in Shift if _slug(shift) == self.value()), None)
        return queryset if chosen is None else seats_standing(queryset, chosen)


def _slug(shift: Shift) -> str:
    return shift.replace(" ", "-")


class SeatChangeList(ScopedChangeList):
    """Says of the seats of one page how they stand, in three queries whatever their number."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        page: Any = self
        page.result_list = seats = list(page.result_list)
        standings = standings_of(seats)
        for seat in seats:
            seat.stands = standings[seat.pk]


SHIFT_LABELS = {Shift.ON_SHIFT: "primary", Shift.ON_CALL: "success", Shift.OFF_SHIFT: ""}


def _list_of(model: str, query: str) -> str:
    return f"{reverse(f'admin:workforce_{model}_changelist')}?{query}"


def _conversations_url(seat: Seat) -> str:
    return _list_of("session", f"seat__id__exact={seat.pk}")


def _run_url(pk: int | None) -> str:
    return "" if pk is None else reverse("admin:workforce_request_change", args=[pk])


@admin.register(Seat)
class SeatAdmin(HiringMixin, ButtonsMixin, ScopedAdmin):
    """Seats with how they stand, and on their page what they are made of and where they work."""

    buttons = (FIRE,)
    list_display = ["seat_id", "state", "runs", "waiting", "conversations", "kind", "hired_by", "described"]
    list_filter = [OrganizationFilter, ShiftFilter, WorkerKindFilter, WhoseFilter, RetiredFilter]
    list_select_related = ["owner", "organization"]
    search_fields = ["seat_id", "description"]
    search_help_text = "id or description"
    ordering = ["seat_id", "pk"]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    "seat_id", "kind", "whose", "standing", "organization_shown", "description_shown",
                    "hired_dated", "changed", "retired",
                ]
            },
        ),
        ("Instructions", {"fields": ["team_instructions_shown", "instructions_shown"]}),
        ("Settings", {"fields": ["settings_shown"]}),
    ]  # fmt: skip
    readonly_fields = [
        "whose", "standing", "organization_shown", "description_shown", "hired_dated", "changed", "retired",
        "team_instructions_shown", "instructions_shown", "settings_shown",
    ]  # fmt: skip
    change_form_outer_before_template = "admin/workforce/seat_top.html"
    change_form_outer_after_template = "admin/workforce/seat_places.html"

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[SeatChangeList]:
        return SeatChangeList

    def get_queryset(self, request: HttpRequest) -> QuerySet[Seat]:
        return super().get_queryset(request).select_related("owner", "organization")

    @display(description="description")
    def described(self, seat: Seat) -> str:
        return shortened(seat.description, 60)

    @display(description="hired by", ordering="owner__username")
    def hired_by(self, seat: Seat) -> str:
        return self.whose(seat) + (", retired" if seat.retired_at is not None else "")

    @display(description="hired by")
    def whose(self, seat: Seat) -> str:
        return seat.owner.username if seat.owner else "the tree"

    @display(description="standing", label={"on the roster": "success", "retired": "warning"})
    def standing(self, seat: Seat) -> str:
        return "on the roster" if seat.retired_at is None else "retired"

    @display(description="state", label={shift.value: label for shift, label in SHIFT_LABELS.items()})
    def state(self, seat: Any) -> str:
        return str(seat.stands.shift)

    @display(description="runs now")
    def runs(self, seat: Any) -> str:
        stands = seat.stands
        if stands.run is None:
            return NOTHING
        words = "1 request" if stands.running == 1 else f"{stands.running} requests"
        return format_html('<a class="wf-link" href="{}">{}</a>', _run_url(stands.run), words)

    @display(description="waiting")
    def waiting(self, seat: Any) -> str:
        return str(seat.stands.waiting or NOTHING)

    @display(description="conversations")
    def conversations(self, seat: Any) -> str:
        if not seat.stands.conversations:
            return NOTHING
        url = _conversations_url(seat)
        return format_html('<a class="wf-link" href="{}">{}</a>', url, seat.stands.conversations)

    @display(description="description")
    def description_shown(self, seat: Seat) -> str:
        return block(seat.description)

    @display(description="hired")
    def hired_dated(self, seat: Seat) -> str:
        return dated(seat.hired_at)

    @display(description="changed")
    def changed(self, seat: Seat) -> str:
        return dated(seat.changed_at)

    @display(description="retired")
    def retired(self, seat: Seat) -> str:
        return dated(seat.retired_at)

    @display(description="of the team")
    def team_instructions_shown(self, seat: Seat) -> str:
        return block(seat.team_instructions)

    @display(description="its own")
    def instructions_shown(self, seat: Seat) -> str:
        return block(seat.instructions)

    @display(description="settings")
    def settings_shown(self, seat: Seat) -> str:
        return json_block(seat.settings)

    def page_context(self, request: HttpRequest, row: Seat) -> dict[str, Any]:
        places = InventoryMembership.objects.filter(organization=row.organization, seat_id=row.seat_id)
        ids = list(places.values_list("mailbox_id", flat=True)[:MAILBOXES_SHOWN])
        open_ones = InventoryMailbox.objects.filter(organization=row.organization, mailbox_id__in=ids)
        standing = standings_of([row])[row.pk]
        return {
            "standing": standing,
            "shift_label": SHIFT_LABELS[standing.shift],
            "run_url": _run_url(standing.run),
            "conversations_url": _conversations_url(row),
            "links": [link for link in self._links(row) if link["fits"](row)],
            "buttons": self.shown_buttons(request, row),
            "is_standard": row.owner_id is None and row.retired_at is None,
            "mailboxes": [{"id": box.mailbox_id, "url": page_of(box)} for box in open_ones],
            "conversations": conversation_rows(row.sessions.all()),
        }

    def _links(self, row: Seat) -> list[dict[str, Any]]:
        """The pages that do something with the seat."""
        shown: list[tuple[str, str, str, Callable[[Seat], bool]]] = [
            ("edit", "Edit…", "edit", is_editable),
            ("fork", "Fork…", "fork_right", is_forkable),
        ]
        return [
            {
                "label": label,
                "icon": icon,
                "fits": fits,
                "url": reverse(f"admin:workforce_seat_{name}", args=[row.pk]),
            }
            for name, label, icon, fits in shown
        ]
