"""Kinds and their actions over HTTP."""

from __future__ import annotations

import uuid
from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from workforce.api.outcomes import answer_action
from workforce.api.prefer import read_preferences
from workforce.api.views import ApiView
from workforce.api.waits import RESUME_META
from workforce.kinds import ClosedModel, registered_kinds
from workforce.models import Grant
from workforce.selectors.access import access_request
from workforce.services.running import ActionCall, run_action
from workforce.texts import SessionId


def _uuid_text(value: Any) -> Any:
    if isinstance(value, str) and len(value) == 36:
        try:
            return uuid.UUID(value)
        except ValueError:
            pass
    raise ValueError("must be a UUID, as 8-4-4-4-12 hexadecimal digits")


RequestId = Annotated[uuid.UUID, BeforeValidator(_uuid_text)]


class ActionBody(ClosedModel):
    """The envelope of an action call."""

    input: Any = Field(default_factory=dict, description="The action's own input.")
    request_id: RequestId | None = Field(
        default=None, alias="requestId", description="An id of your own choice."
    )
    metadata: dict[str, Any] = Field(default_factory=dict, description="Kept with the request, unchanged.")


class FreeActionBody(ActionBody):
    """The envelope of an action call that names its session in the body, or lets one be minted."""

    session_id: SessionId | None = Field(default=None, alias="sessionId")


class FlowsView(ApiView):
    """The kinds that are registered, with their public actions and the JSON schema of each input."""

    grants = {"GET": Grant.FLOWS_READ}

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
            "inputSchema": action.input.model_json_schema(by_alias=True),
        }
        for action in kind.actions.values()
        if action.public
    ]
    return {"kind": kind.name, "description": kind.description, "actions": actions}


class ActionView(ApiView):
    """Run an action in a named session."""

    # Which of the two flow grants is needed is the action's own; the service checks it.
    grants = {}

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

    def post(self, request: HttpCall, kind: str, action: str) -> Response:  # type: ignore[override]
        body = self.body(FreeActionBody)
        return self.run(kind, action, body.session_id, body)
