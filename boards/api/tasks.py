"""The rows of a board over REST."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from boards.api.filters import ORDERING_WORDS, ORDERINGS, TaskFilters
from boards.api.schemas import TaskAnswer, TaskDetail, TaskPage
from boards.api.views import BoardView, etag, row_shape
from boards.models import Board, Task
from boards.selectors.tasks import deps_of, get_task
from boards.services.filing import file_task
from boards.services.judging import check_author
from boards.shapes import detail_shape, rest_shape
from boards.tools.inputs import Filing
from workforce.api.paging import filter_strictly, page
from workforce.api.schemas.operations import Answer, Operation
from workforce.models import Grant

NEWEST = "-createdAt"


class TasksView(BoardView):
    """The rows of a board; or file one."""

    query = {"GET": frozenset({"limit", "cursor", "status", "assignee", "label", "q", "ordering"})}
    describes = {
        "GET": Operation(
            id="listTasks",
            summary="The rows of a board, newest first unless ordered otherwise.",
            answers={200: Answer("A page of rows.", TaskPage)},
            query={
                "status": {"type": "string", "enum": list(Task.Status)},
                "ordering": {"type": "string", "enum": ORDERING_WORDS, "default": NEWEST},
            },
        ),
        "POST": Operation(
            id="fileTask",
            summary="File a row: the input and the checks of the action `fileTask`.",
            answers={201: Answer("The row.", TaskAnswer, headers=("Location", "ETag"))},
            body=Filing,
            refuses=frozenset({409, 422}),
        ),
    }

    def get(self, request: HttpCall, board: str) -> Response:
        found = self.board(board)
        rows = filter_strictly(TaskFilters, request.query_params, Task.objects.filter(board=found))
        ordering = request.query_params.get("ordering", NEWEST)
        column = ORDERINGS[ordering.removeprefix("-")]
        of_times = column != "rank"
        answer = page(
            rows,
            scope=f"tasks:{found.pk}:{ordering}",
            by=column,
            ascending=not ordering.startswith("-"),
            limit=self.limit(default=50, maximum=200),
            cursor=request.query_params.get("cursor"),
            shape=lambda task: task,
            encode=datetime.isoformat if of_times else float,
            decode=datetime.fromisoformat if of_times else float,
        )
        deps = deps_of(answer["items"])
        answer["items"] = [rest_shape(task, deps[task.pk]) for task in answer["items"]]
        return Response(answer)

    def post(self, request: HttpCall, board: str) -> Response:
        found = self.board(board)
        self.check_unguarded()
        value = self.body(Filing)
        return self.answer_row(found, lambda: self._file(found, value))

    def _file(self, board: Board, value: Filing) -> tuple[int, dict[str, Any]]:
        check_author(board, value.author)
        return 201, row_shape(file_task(board=board, by=self.hand, new=value.new_task()))


class TaskView(BoardView):
    """One row, with its history."""

    grants = {"GET": Grant.BOARDS_READ}
    describes = {
        "GET": Operation(
            id="getTask",
            summary="One row, with who holds it and its history.",
            answers={200: Answer("The row.", TaskDetail, headers=("ETag",))},
        )
    }

    def get(self, request: HttpCall, board: str, task: str) -> Response:
        found = get_task(self.board(board), task)
        shape = detail_shape(found, deps_of([found])[found.pk], [], list(found.events.all()))
        return Response(shape, headers={"ETag": etag(found.revision)})
