"""How an action is answered: 202 with its request, 200 with its output, or the problem it ended with."""

from __future__ import annotations

from typing import Any

from rest_framework.response import Response

from workforce.api.prefer import Preferences
from workforce.api.problems import problem_body, problem_response
from workforce.callers import Caller
from workforce.models import Request
from workforce.waits import WAIT_FOR, watch_header


def action_body(request: Request) -> dict[str, Any]:
    """What an accepted action is answered with; its output is not part of it."""
    return {
        "status": request.status,
        "request": {
            "id": str(request.uid),
            "flowKind": request.session.kind,
            "flowId": request.session.kind,
            "actionName": request.action,
            "status": request.status,
        },
        "session": {"id": request.session.address},
    }


def answer_action(request: Request, preferences: Preferences, caller: Caller) -> Response:
    """The answer to an action call whose request is in this state."""
    if request.status == Request.Status.FAILED:
        return _failed(request)
    done = request.status == Request.Status.COMPLETED
    shows = done and (preferences.representation or preferences.wait > 0)
    body = action_body(request)
    if shows:
        body["output"] = request.output
    response = Response(body, status=200 if shows else 202)
    response["Location"] = f"/api/requests/{request.uid}"
    if preferences.applied() and (shows or preferences.wait):
        response["Preference-Applied"] = preferences.applied()
    if preferences.wait and not request.finished:
        seen = {f"request:{request.uid}": str(request.status)}
        response[WAIT_FOR] = watch_header(seen, caller, resume=str(request.uid))
    return response


def _failed(request: Request) -> Response:
    error = dict(request.error or {})
    code, status = error.pop("code", "failed"), error.pop("status", 500)
    body = problem_body(
        code, status, error.pop("message", ""), {**error, "request": {"id": str(request.uid)}}
    )
    response = problem_response(body)
    response["Location"] = f"/api/requests/{request.uid}"
    return response
