"""Rows of boards: the list, a row's page, and the form of each act. See docs/admin.md."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from unfold.decorators import display
from unfold.paginator import InfinitePaginator

from boards.admin.acts import ACTS, Act
from boards.admin.base import ActedAdmin
from boards.admin.cards import LARGE, cards_of, name_of
from boards.admin.columns import STATUS_COLOURS, STATUS_WORDS
from boards.admin.editing import EditForm, edit
from boards.admin.filters import AgeFilter, AssignedFilter, MailboxFilter, TaskStatusFilter
from boards.admin.pressing import back_of, press, refusal_words, revision_of, value_of
from boards.admin.rowpage import last_change, row_context
from boards.models import Task, TaskLabel
from boards.selectors.workers import worker_keys
from workforce.admin.base import ScopedChangeList
from workforce.admin.filters import organization_filter
from workforce.admin.shown import NOTHING, link_to, page_of, shortened, storable, when
from workforce.errors import DomainError, Stale


class TaskChangeList(ScopedChangeList):
    """Without the parts of a row that can be large and are not listed."""

    def get_queryset(self, request: HttpRequest, *args: Any, **kwargs: Any) -> QuerySet[Task]:
        rows: QuerySet[Task] = super().get_queryset(request, *args, **kwargs)
        return rows.defer(*LARGE, "error", "feedback")


@admin.register(Task)
class TaskAdmin(ActedAdmin):
    """Rows of every board, newest first. Each changes by its acts, and by nothing else."""

    page_template = "admin/boards/task.html"
    organization_path = "board__organization"
    list_display = ["named", "status_shown", "board_shown", "assignee", "held_by", "attempts", "age"]
    list_filter = [
        organization_filter("board__organization"), MailboxFilter, TaskStatusFilter, AssignedFilter, AgeFilter,
    ]  # fmt: skip
    list_select_related = ["board__organization"]
    search_fields = ["task_id"]
    search_help_text = "a row's id, a worker key or a label, exactly"
    ordering = ["-pk"]
    sortable_by: ClassVar[list[str]] = []
    paginator = InfinitePaginator

    def get_queryset(self, request: HttpRequest) -> QuerySet[Task]:
        return super().get_queryset(request).select_related("board__organization")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[TaskChangeList]:
        return TaskChangeList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Task], search_term: str
    ) -> tuple[QuerySet[Task], bool]:
        """An id, an assignee or a label as a whole: no column is read for parts of words."""
        term = search_term.strip()
        if not term:
            return queryset, False
        labelled = TaskLabel.objects.filter(label=term).values("task")
        found = (
            queryset.filter(task_id=term) | queryset.filter(assignee=term) | queryset.filter(pk__in=labelled)
        )
        return found, False

    @display(description="row")
    def named(self, task: Task) -> str:
        return shortened(name_of(task), 60)

    @display(description="status", label=STATUS_COLOURS)
    def status_shown(self, task: Task) -> tuple[str, str]:
        return task.status, STATUS_WORDS[task.status]

    @display(description="board")
    def board_shown(self, task: Task) -> str:
        return link_to(task.board)

    @display(description="held by")
    def held_by(self, task: Task) -> str:
        return storable(task.claimed_by) or NOTHING

    @display(description="age")
    def age(self, task: Task) -> str:
        return when(task.created_at)

    def get_urls(self) -> list[URLPattern]:
        acts = [
            path(
                f"<int:object_id>/{act.name}/",
                self.admin_site.admin_view(partial(self.act_view, act)),
                name=f"boards_task_{act.name}",
            )
            for act in ACTS
        ]
        edit = path(
            "<int:object_id>/edit/", self.admin_site.admin_view(self.edit_view), name="boards_task_edit"
        )
        return [*acts, edit, *super().get_urls()]

    def shown(self, request: HttpRequest, row: Any) -> dict[str, Any]:
        """The row with its history."""
        return self._context(request, row) | row_context(request, row)

    def act_view(self, act: Act, request: HttpRequest, object_id: int) -> HttpResponse:
        """The form of an act, and the act itself. A refusal is shown beside what was typed."""
        task = self.row_of(request, object_id)
        if request.method != "POST":
            return self._act_page(request, act, task, request.GET, seen=request.GET.get("revision", ""))
        try:
            value, revision = value_of(act, request.POST), revision_of(request.POST.get("revision", ""))
            words = press(request, act, task, revision, value)
        except DomainError as refusal:
            task = self.row_of(request, object_id)  # as it stands now
            return self._act_page(request, act, task, request.POST, refusal=refusal)
        self.log_change(request, task, f"{act.label}.")
        messages.success(request, f"“{name_of(task)}”: {storable(words)}.")
        return redirect(back_of(request.POST, task))

    def edit_view(self, request: HttpRequest, object_id: int) -> HttpResponse:
        """The form of what is edited whole; its POST writes it. A refusal is shown beside what was typed."""
        task, refused = self.row_of(request, object_id), None
        form = EditForm(request.POST) if request.method == "POST" else EditForm.of(task)
        if request.method == "POST":
            try:
                task = edit(request, task, form)
            except DomainError as refusal:
                task, refused = self.row_of(request, object_id), refusal  # as it stands now
            else:
                self.log_change(request, task, "Edited.")
                messages.success(request, f"“{name_of(task)}” is saved.")
                return redirect(page_of(task))
        context = self._context(request, task) | {
            "title": f"Edit: {name_of(task)}",
            "name": name_of(task),
            "row_url": page_of(task),
            "form": form,
            "refusal": refusal_words(refused) if refused else "",
            "changed": last_change(task) if isinstance(refused, Stale) else None,
        }
        status = refused.status if refused else 200
        return TemplateResponse(request, "admin/boards/edit.html", context, status=status)

    def _act_page(
        self,
        request: HttpRequest,
        act: Act,
        task: Task,
        data: Any,
        *,
        seen: str = "",
        refusal: DomainError | None = None,
    ) -> HttpResponse:
        workers = worker_keys(task.board)
        (card,) = cards_of([task], workers=workers, back="")
        context = self._context(request, task) | {
            "title": f"{act.label}: {name_of(task)}",
            "act": act,
            "act_url": reverse(f"admin:boards_task_{act.name}", args=[task.pk]),
            "card": card,
            "fits": act.fits(task),
            "fitting": [link.act.label for link in card.links],
            "workers": sorted(workers) if act.field and act.field.shape == "worker" else [],
            "typed": data.get(act.field.name, "") if act.field else "",
            "refusal": refusal_words(refusal) if refusal else "",
            "changed": last_change(task) if refusal or seen not in ("", str(task.revision)) else None,
            "back": back_of(data, task),
        }
        status = refusal.status if refusal else 200
        return TemplateResponse(request, "admin/boards/act.html", context, status=status)

    def _context(self, request: HttpRequest, task: Task) -> dict[str, Any]:
        return self.site_context(
            request, title=name_of(task), original=task, task=task, board_url=page_of(task.board)
        )
