"""Boards: the overview, and each board's page with its columns. See docs/admin.md."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from unfold.decorators import display

from boards.admin.acts import BULK
from boards.admin.base import ActedAdmin
from boards.admin.bulk import press_many
from boards.admin.columns import column_named
from boards.admin.forms import FilingForm, check_filled
from boards.admin.page import moment, page_context
from boards.admin.pressing import hand_of, refusal_words
from boards.models import Board, Task
from boards.selectors.figures import board_figures
from boards.selectors.workers import worker_keys
from boards.services.filing import file_task
from boards.services.judging import check_author
from workforce.admin.base import ScopedChangeList
from workforce.admin.filters import OrganizationFilter
from workforce.admin.shown import NOTHING, page_of
from workforce.errors import DomainError
from workforce.models import InventoryMailbox


class HeldFilter(admin.SimpleListFilter):
    title = "held"
    parameter_name = "held"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "a file holds it today"), ("no", "left the tree")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(live=self.value() == "yes") if self.value() in ("yes", "no") else queryset


class BoardChangeList(ScopedChangeList):
    """Joins the boards of the page, and only those, with their figures."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        boards: list[Any] = list(self.result_list)  # type: ignore[has-type]
        figures = board_figures(boards)
        for board in boards:
            board.figures = figures[board.pk]
        self.result_list = boards


def _count(title: str, column: str) -> Any:
    """A column of the list that counts the rows of a column of the board."""
    found = column_named(column)
    statuses = found.statuses if found else ()

    @display(description=title)
    def count(self: Any, board: Any) -> Any:
        return sum(board.figures["counts"][status] for status in statuses) or NOTHING

    return count


@admin.register(Board)
class BoardAdmin(ActedAdmin):
    """Every board with its figures; mailboxes hold them, and files decide which."""

    page_template = "admin/boards/board.html"
    list_display = [
        "board_id", "queued", "running", "needs_you", "failed", "done", "stuck", "orphaned",
        "oldest_ready", "oldest_held", "attended", "held",
    ]  # fmt: skip
    list_filter = [OrganizationFilter, HeldFilter]
    list_select_related = ["organization"]
    search_fields = ["board_id"]
    search_help_text = "id"
    sortable_by: ClassVar[list[str]] = ["board_id"]

    queued, running, needs_you = (
        _count("queued", "queued"),
        _count("running", "running"),
        _count("needs you", "needs"),
    )
    failed, done = _count("failed", "failed"), _count("done", "done")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Board]:
        return super().get_queryset(request).select_related("organization")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[BoardChangeList]:
        return BoardChangeList

    @display(description="stuck")
    def stuck(self, board: Any) -> Any:
        return board.figures["stuck"] or NOTHING

    @display(description="for no worker")
    def orphaned(self, board: Any) -> Any:
        return board.figures["orphaned"] or NOTHING

    @display(description="oldest ready")
    def oldest_ready(self, board: Any) -> str:
        return moment(board.figures["oldest_ready"])

    @display(description="oldest held")
    def oldest_held(self, board: Any) -> str:
        return moment(board.figures["oldest_held"])

    @display(description="worked by", label={"a worker": "success", "outside only": "warning"})
    def attended(self, board: Any) -> str:
        return "a worker" if board.figures["attended"] else "outside only"

    @display(description="held", label={"held": "success", "left the tree": "warning"})
    def held(self, board: Board) -> str:
        return "held" if board.live else "left the tree"

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view
        return [
            path("<int:object_id>/file/", view(self.file_view), name="boards_board_file"),
            path("<int:object_id>/bulk/", view(self.bulk_view), name="boards_board_bulk"),
            *super().get_urls(),
        ]

    def shown(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """The board's columns."""
        boxes = InventoryMailbox.objects.filter(organization=row.organization_id, mailbox_id=row.mailbox_id)
        return self.site_context(
            request,
            title=row.board_id,
            original=row,
            board=row,
            mailbox_url=next((page_of(box) for box in boxes), ""),
            file_url=reverse("admin:boards_board_file", args=[row.pk]),
            bulk_url=reverse("admin:boards_board_bulk", args=[row.pk]),
            bulk_acts=BULK,
            back=request.get_full_path(),
            **page_context(request, row),
        )

    def file_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """The form of a new row; its POST files it, and shows a refusal beside what was typed."""
        board = self.row_of(request, object_id)
        workers, status, refusal = worker_keys(board), 200, ""
        form = FilingForm(request.POST if request.method == "POST" else None, workers=workers)
        if request.method == "POST":
            try:
                task = self._file(request, board, form)
            except DomainError as refused:
                status, refusal = refused.status, refusal_words(refused)
            else:
                self.log_change(request, board, f"Filed {task.task_id}.")
                messages.success(request, f"It is filed, as {task.task_id}.")
                return redirect(page_of(board))
        context = self.site_context(
            request,
            title=f"File a row on {board.board_id}",
            board=board,
            board_url=page_of(board),
            form=form,
            refusal=refusal,
        )
        return TemplateResponse(request, "admin/boards/file.html", context, status=status)

    def _file(self, request: HttpRequest, board: Board, form: FilingForm) -> Task:
        check_filled(form)
        filing = form.filing()
        check_author(board, filing.author)
        return file_task(board=board, by=hand_of(request), new=filing.new_task())

    def bulk_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """One act on the rows that were chosen; what came of each is said on the page shown next."""
        board = self.row_of(request, object_id)
        back = request.POST.get("back", "")
        if not (back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)):
            back = page_of(board)
        if request.method != "POST":
            return redirect(back)
        try:
            done = press_many(request, board)
        except DomainError as refusal:
            messages.error(request, refusal_words(refusal))
        else:
            for task in done:
                self.log_change(request, task, f"{request.POST['act']}, with others.")
        return redirect(back)
