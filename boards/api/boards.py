"""The boards of an organization over REST."""

from __future__ import annotations

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from boards.api.schemas import BoardAnswer, BoardPage
from boards.api.views import BoardView, boards_of
from boards.selectors.figures import board_figures
from boards.shapes import board_shape
from workforce.api.paging import page
from workforce.api.schemas.operations import Answer, Operation
from workforce.api.views import ApiView
from workforce.models import Grant


class BoardsView(ApiView):
    """The boards of the caller's organization."""

    grants = {"GET": Grant.BOARDS_READ}
    query = {"GET": frozenset({"limit", "cursor"})}
    describes = {
        "GET": Operation(
            id="listBoards",
            summary="The boards of the organization, with how many rows stand where.",
            answers={200: Answer("A page of boards.", BoardPage)},
        )
    }

    def get(self, request: HttpCall) -> Response:
        answer = page(
            boards_of(self.caller.organization),
            scope=f"boards:{self.caller.organization.pk}",
            by="board_id",
            ascending=True,
            limit=self.limit(default=50, maximum=200),
            cursor=request.query_params.get("cursor"),
            shape=lambda board: board,
        )
        figures = board_figures(answer["items"])
        answer["items"] = [board_shape(board, figures[board.pk]) for board in answer["items"]]
        return Response(answer)


class OneBoardView(BoardView):
    """One board."""

    grants = {"GET": Grant.BOARDS_READ}
    describes = {
        "GET": Operation(
            id="getBoard",
            summary="One board, with how many rows stand where.",
            answers={200: Answer("The board.", BoardAnswer)},
        )
    }

    def get(self, request: HttpCall, board: str) -> Response:
        found = self.board(board)
        return Response(board_shape(found, board_figures([found])[found.pk]))
