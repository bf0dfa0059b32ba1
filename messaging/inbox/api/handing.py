"""Handing over what somebody owes who takes no part any more: for owners and operators."""

from __future__ import annotations

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response
from typing_extensions import TypedDict

from messaging.inbox.api.inputs import HandOver
from messaging.inbox.api.views import SetupView
from messaging.inbox.services.handing import hand_over
from workforce.api.schemas.answers import CLOSED, Count
from workforce.api.schemas.operations import Answer, Operation


class HandedOverAnswer(TypedDict):
    """How many receipts moved, and how many stayed because the other was sent the message or sent it itself."""

    __pydantic_config__ = CLOSED  # type: ignore[misc]

    moved: Count
    stayed: Count


class HandOverView(SetupView):
    """Let a participant owe what one that was retired, or has left, still has open."""

    describes = {
        "POST": Operation(
            id="handOver",
            summary="Let a participant owe what one that was retired or has left has open. Owners and operators.",
            answers={200: Answer("What became of the receipts.", HandedOverAnswer)},
            body=HandOver,
            refuses=frozenset({409, 422}),
        )
    }

    def post(self, request: HttpCall, inbox: str) -> Response:
        found = self.operated(inbox)
        value = self.body(HandOver)
        done = hand_over(inbox=found, owed_by=value.owed_by, to=value.to, operator=self.caller.user.username)
        return Response({"moved": done.moved, "stayed": done.stayed})
