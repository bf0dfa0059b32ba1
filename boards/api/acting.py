"""Doing something to a row over REST."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from boards.api.schemas import TaskAnswer
from boards.api.verbs import VERBS, Act, Verb
from boards.api.views import BoardView, Guard, row_shape
from boards.models import Board
from boards.selectors.tasks import get_task
from boards.services.filing import retry_task
from boards.services.judging import check_author
from workforce.api.schemas.operations import Answer, Operation
from workforce.kinds import NoInput
from workforce.models import Grant

REFUSES = frozenset({409, 412, 422})
IF_MATCH = ("If-Match",)


class VerbView(BoardView):
    """Do something to a row, and answer it; each verb has a path of its own."""

    grants = {"POST": Grant.BOARDS_WRITE}
    #: Set for each path, together with what describes it.
    verb: Verb = VERBS[0]

    def post(self, request: HttpCall, board: str, task: str) -> Response:
        found, guard = self.board(board), self.guard()
        body = self.body(self.verb.body)
        act = Act(board=found, task_id=task, by=self.hand, body=body, revision=guard.revision)
        return self.answer_row(found, lambda: self._do(act, guard))

    def _do(self, act: Act, guard: Guard) -> tuple[int, dict[str, Any]]:
        guard.check_own(act.board, act.task_id)
        return 200, row_shape(self.verb.run(act))


def described(verb: Verb) -> dict[str, Operation]:
    """What the document says of a verb's path."""
    first, *rest = verb.name.split("-")
    noun = "".join(part.title() for part in rest) or "Task"
    return {
        "POST": Operation(
            id=first + noun,
            summary=verb.words,
            answers={200: Answer("The row as it is now.", TaskAnswer, headers=("ETag",))},
            body=verb.body,
            refuses=REFUSES,
            headers=IF_MATCH,
        )
    }


class RetryTaskView(BoardView):
    """File an ended row again."""

    grants = {"POST": Grant.BOARDS_WRITE}
    describes = {
        "POST": Operation(
            id="retryTask",
            summary="File an ended row again, once, as a new row that names the old one in `retryOf`.",
            answers={
                200: Answer("The row that was filed for it before.", TaskAnswer, headers=("ETag",)),
                201: Answer("The new row.", TaskAnswer, headers=("Location", "ETag")),
            },
            body=NoInput,
            refuses=REFUSES,
            headers=IF_MATCH,
        )
    }

    def post(self, request: HttpCall, board: str, task: str) -> Response:
        found, guard = self.board(board), self.guard()
        self.body(NoInput)
        return self.answer_row(found, lambda: self._retry(found, task, guard))

    def _retry(self, board: Board, task_id: str, guard: Guard) -> tuple[int, dict[str, Any]]:
        guard.check_own(board, task_id)
        get_task(board, task_id)  # an unknown row is that, whatever the board takes
        check_author(board, None)  # whether it takes filings now; the author was judged at the first one
        row, is_new = retry_task(board=board, task_id=task_id, by=self.hand, if_revision=guard.revision)
        return 201 if is_new else 200, row_shape(row)
