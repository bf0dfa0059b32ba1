"""The base of the views of one board: whose it is, who may write, and what guards a write."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.db.models import QuerySet
from django.utils.functional import cached_property
from rest_framework.permissions import BasePermission
from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from boards.hands import Hand
from boards.models import Board, Task
from boards.selectors.tasks import deps_of, get_task
from boards.shapes import rest_shape
from workforce.api.views import SAFE, ApiView, KnownCaller
from workforce.errors import InvalidInput, NotFound, Stale
from workforce.models import Grant, Organization

_TAG = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
_REVISION = re.compile(r"[1-9][0-9]{0,17}")

Work = Callable[[], tuple[int, dict[str, Any] | None]]


@dataclass(frozen=True, slots=True)
class Guard:
    """What ``If-Match`` asks for: a revision, nothing, or a tag that no row ever has."""

    revision: int | None = None
    foreign: str = ""

    def check_own(self, board: Board, task_id: str) -> None:
        """Raise Stale for a tag that is weak or no revision: it never matches. Raises TaskNotFound first."""
        if self.foreign:
            task = get_task(board, task_id)
            raise Stale(f"the row is at {etag(task.revision)}, which {self.foreign[:100]} does not match")


class OperatorsWrite(BasePermission):
    """A browser session needs the role of an operator for anything but reading."""

    def has_permission(self, request: HttpCall, view: Any) -> bool:
        if request.method not in SAFE:
            view.caller.check_operates()
        return True


def boards_of(organization: Organization) -> QuerySet[Board]:
    """The boards that mailboxes hold. A conversation's own is private to it, and not among them."""
    return Board.objects.filter(organization=organization).exclude(mailbox_id="")


class BoardView(ApiView):
    """A view of one board of the caller's organization."""

    permission_classes = [KnownCaller, OperatorsWrite]
    grants = {"GET": Grant.BOARDS_READ, "POST": Grant.BOARDS_WRITE}

    def board(self, board_id: str) -> Board:
        """The board. Raises NotFound, in the same words for what is another organization's."""
        board = boards_of(self.caller.organization).filter(board_id=board_id).first()
        if board is None:
            raise NotFound(f"there is no board '{board_id}'")
        return board

    @cached_property
    def hand(self) -> Hand:
        """Who changes a row, for its history."""
        return Hand(principal=self.caller.user.username, passname=self.caller.passname)

    def guard(self) -> Guard:
        """The condition of ``If-Match``. Raises InvalidInput for what is no entity tag."""
        header = self.request.META.get("HTTP_IF_MATCH", "*").strip()
        if header == "*":
            return Guard()
        found = _TAG.fullmatch(header)
        if found is None:
            raise InvalidInput.at("If-Match", 'must be the ETag of the row, for example "3", or *')
        weak, tag = found[1], found[2]
        if weak or not _REVISION.fullmatch(tag):
            return Guard(foreign=header)
        return Guard(revision=int(tag))

    def check_unguarded(self) -> None:
        """Raise InvalidInput when a call that meets no row of its own has an ``If-Match``."""
        if "HTTP_IF_MATCH" in self.request.META:
            raise InvalidInput.at("If-Match", "guards a write of one row; this call names none, leave it out")

    def answer_row(self, board: Board, work: Work) -> Response:
        """Do the work once; its answer is a row, with its revision as the ``ETag``, and where it is when new."""
        response = self.once(work)
        if response.status_code < 300:
            response["ETag"] = etag(response.data["revision"])
        if response.status_code == 201:
            board_id = quote(board.board_id, safe="")  # its name may hold any letter
            response["Location"] = f"/api/boards/{board_id}/tasks/{response.data['id']}"
        return response


def etag(revision: int) -> str:
    """The tag of a row at a revision."""
    return f'"{revision}"'


def row_shape(task: Task) -> dict[str, Any]:
    """A row as the answer of a write."""
    return rest_shape(task, deps_of([task])[task.pk])
