"""Taking rows over REST."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from boards.api.inputs import ClaimInput
from boards.api.schemas import ClaimAnswer
from boards.api.views import BoardView, etag
from boards.models import Board
from boards.selectors.ready import Wanted
from boards.selectors.tasks import deps_of
from boards.selectors.waiting import NONE_READY, ready_topic
from boards.services.claiming import claim_next
from boards.shapes import model_shape
from workforce.api.prefer import MAX_WAIT
from workforce.api.schemas.operations import Answer, Operation
from workforce.models import Grant
from workforce.waits import WAIT_FOR, watch_header

NOTHING_READY = 204


class ClaimView(BoardView):
    """Take the next ready row: 200 with the row and a ticket, or 204 when nothing is ready."""

    grants = {"POST": Grant.BOARDS_WRITE}
    query = {"POST": frozenset({"wait"})}
    describes = {
        "POST": Operation(
            id="claimTask",
            summary="Take the next ready row, by priority, age and id; `wait` for one when there is none.",
            answers={
                200: Answer(
                    "The row, with what its worker needs, and the ticket that proves the claim.",
                    ClaimAnswer,
                    headers=("ETag",),
                ),
                NOTHING_READY: Answer("Nothing is ready for this claim, or became so in time."),
            },
            body=ClaimInput,
            refuses=frozenset({409}),
        )
    }

    def post(self, request: HttpCall, board: str) -> Response:
        found = self.board(board)
        self.check_unguarded()
        value = self.body(ClaimInput)
        seconds = self.whole("wait", minimum=0, maximum=MAX_WAIT)
        wanted = Wanted(assignee=value.assignee or "", labels=tuple(sorted(set(value.labels))))
        # "Nothing is ready" is true of one moment only: a repeated call takes what has come since.
        response = self.once(lambda: self._claim(found, value, wanted), passing=frozenset({NOTHING_READY}))
        if response.status_code == 200:
            response["ETag"] = etag(response.data["task"]["revision"])
        elif response.status_code == NOTHING_READY and seconds:
            topic = ready_topic(found, wanted)
            response[WAIT_FOR] = watch_header({topic: NONE_READY}, self.caller, resume="claim")
        return response

    def _claim(self, board: Board, value: ClaimInput, wanted: Wanted) -> tuple[int, dict[str, Any] | None]:
        claimed = claim_next(
            board=board,
            worker=value.worker,
            by=self.hand,
            lease_seconds=value.lease_seconds,
            wanted=wanted,
        )
        if claimed is None:
            return NOTHING_READY, None
        task, ticket = claimed
        shape = model_shape(task, deps_of([task])[task.pk]) | {"revision": task.revision}
        return 200, {"task": shape, "ticket": ticket}
