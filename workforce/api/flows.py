"""Kinds and their actions over HTTP."""

from __future__ import annotations

import uuid
from typing import Any

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from workforce.api.bodies import ActionBody, FreeActionBody
from workforce.api.outcomes import answer_action
from workforce.api.prefer import read_preferences
from workforce.api.schemas.answers import ActionAccepted, ActionDone
from workforce.api.schemas.components import json_schema_of
from workforce.api.schemas.operations import Answer, Operation
from workforce.api.schemas.pages import FlowList
from workforce.api.views import ApiView
from workforce.kinds import registered_kinds
from workforce.models import Grant
from workforce.selectors.access import access_request
from workforce.services.running import ActionCall, run_action
from workforce.waits import RESUME_META

#: References in a schema that stands alone.
LOCAL_REF = "#/$defs/{model}"
ACTION_ANSWERS = {
    200: Answer(
        "The action is done; asked for with `Prefer`.",
        ActionDone,
        headers=("Location", "Preference-Applied"),
    ),
    202: Answer(
        "The action is done or will run; its output is not part of it.",
        ActionAccepted,
        headers=("Location", "Preference-Applied"),
    ),
}
ACTION_REFUSES = frozenset({404, 409, 422, 500})


class FlowsView(ApiView):
    """The kinds that are registered, with their public actions and the JSON schema of each input."""

    grants = {"GET": Grant.FLOWS_READ}
    describes = {
        "GET": Operation(
            id="listFlows",
            summary="List the kinds with their public actions.",
            answers={200: Answer("Every kind.", FlowList)},
        )
    }

    def get(self, request: HttpCall) -> Response:
        kinds = registered_kinds()
        return Response({"items": [_kind_shape(kinds[name]) for name in sorted(kinds)]})


def _kind_shape(kind: Any) -> dict[str, Any]:
    actions = [
        {
            "name": action.name,
            "description": action.description,
            "mode": str(action.mode),
            "reads": action.reads,
            "inputSchema": json_schema_of(action.input, ref=LOCAL_REF),
        }
        for action in kind.actions.values()
        if action.public
    ]
    return {"kind": kind.name, "description": kind.description, "actions": actions}


class ActionView(ApiView):
    """Run an action in a named session."""

    # Which of the two flow grants is needed is the action's own; the service checks it.
    grants = {}
    describes = {
        "POST": Operation(
            id="runAction",
            summary="Run an action in a session; a session that is not there is made.",
            answers=ACTION_ANSWERS,
            body=ActionBody,
            refuses=ACTION_REFUSES,
            headers=("Prefer",),
        )
    }

    def post(self, request: HttpCall, kind: str, action: str, session: str) -> Response:
        return self.run(kind, action, session, self.body(ActionBody))

    def run(self, kind: str, action: str, session: str | None, body: ActionBody) -> Response:
        preferences = read_preferences(self.request.META.get("HTTP_PREFER", ""))
        resumed = self.request.META.get(RESUME_META)
        if resumed is not None:
            begun = access_request(caller=self.caller, uid=uuid.UUID(resumed))
            return answer_action(begun, preferences, self.caller)
        asked = ActionCall(
            kind=kind,
            action=action,
            address=session,
            input=body.input,
            request_id=body.request_id,
            metadata=body.metadata,
            repeat=self.repeat(self.body_and_user[0]),
        )
        return answer_action(run_action(caller=self.caller, asked=asked), preferences, self.caller)


class FreeActionView(ActionView):
    """Run an action; the session is in the body, or is minted."""

    describes = {
        "POST": Operation(
            id="runFreeAction",
            summary="Run an action; the session is named in the body, or a new one is made.",
            answers=ACTION_ANSWERS,
            body=FreeActionBody,
            refuses=ACTION_REFUSES,
            headers=("Prefer",),
        )
    }

    def post(self, request: HttpCall, kind: str, action: str) -> Response:  # type: ignore[override]
        body = self.body(FreeActionBody)
        return self.run(kind, action, body.session_id, body)
