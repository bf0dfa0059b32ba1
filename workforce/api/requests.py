"""Requests over HTTP."""

from __future__ import annotations

import uuid
from typing import Any

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from workforce.api.outcomes import action_body
from workforce.api.schemas.answers import RetryAccepted, WholeRequestAnswer
from workforce.api.schemas.operations import Answer, Operation
from workforce.api.shapes import request_shape
from workforce.api.views import ApiView
from workforce.kinds import NoInput
from workforce.models import Grant
from workforce.selectors.access import access_request
from workforce.services.recovery import abort_request, retry_request


class RequestView(ApiView):
    """One request, with its input, output and error."""

    grants = {"GET": Grant.FLOWS_READ}
    describes = {
        "GET": Operation(
            id="getRequest",
            summary="One request, with its input, output and error.",
            answers={200: Answer("The request.", WholeRequestAnswer)},
        )
    }

    def get(self, request: HttpCall, uid: uuid.UUID) -> Response:
        return Response(request_shape(access_request(caller=self.caller, uid=uid), whole=True))


class AbortView(ApiView):
    """Stop a request: 204 when it is aborted, 202 when its run will be told."""

    grants = {"POST": Grant.FLOWS_WRITE}
    describes = {
        "POST": Operation(
            id="abortRequest",
            summary="Stop a request.",
            answers={202: Answer("Its run will be told at its next step."), 204: Answer("It is aborted.")},
            body=NoInput,
            refuses=frozenset({409}),
        )
    }

    def post(self, request: HttpCall, uid: uuid.UUID) -> Response:
        self.body(NoInput)

        def abort() -> tuple[int, dict[str, Any] | None]:
            return (204 if abort_request(caller=self.caller, uid=uid) else 202), None

        return self.once(abort)


class RetryView(ApiView):
    """Run a failed or aborted request again."""

    grants = {"POST": Grant.FLOWS_WRITE}
    describes = {
        "POST": Operation(
            id="retryRequest",
            summary="Run a failed or aborted request of a public action again.",
            answers={
                202: Answer(
                    "The new request, with the old one's input.", RetryAccepted, headers=("Location",)
                )
            },
            body=NoInput,
            refuses=frozenset({409, 422}),
        )
    }

    def post(self, request: HttpCall, uid: uuid.UUID) -> Response:
        self.body(NoInput)

        def retry() -> tuple[int, dict[str, Any]]:
            fresh = retry_request(caller=self.caller, uid=uid)
            body = action_body(fresh)
            body["request"]["retryOf"] = str(uid)
            return 202, body

        response = self.once(retry)
        if response.status_code == 202:
            response["Location"] = f"/api/requests/{response.data['request']['id']}"
        return response
