"""A user's own workers over HTTP, and the conversation with a worker. See docs/workers.md."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request as HttpCall
from rest_framework.response import Response

from workforce.api.bodies import NewWorker, WorkerChanges, WorkerFork
from workforce.api.schemas.answers import SessionAnswer, WorkerAnswer
from workforce.api.schemas.operations import Answer, Operation
from workforce.api.shapes import seat_shape, session_shape
from workforce.api.views import ApiView
from workforce.kinds import NoInput
from workforce.models import Grant
from workforce.services.conversing import ensure_worker_session
from workforce.services.workers import edit_worker, fire_worker, fork_worker, hire_worker

CONFLICT = frozenset({409})


class WriteView(ApiView):
    """A POST about workers."""

    grants = {"POST": Grant.FLOWS_WRITE}


class HireView(WriteView):
    """Hire a worker of one's own."""

    describes = {
        "POST": Operation(
            id="hireWorker",
            summary="Hire a worker of one's own.",
            answers={201: Answer("The worker.", WorkerAnswer)},
            body=NewWorker,
            refuses=CONFLICT,
        )
    }

    def post(self, request: HttpCall) -> Response:
        new = self.body(NewWorker)

        def hire() -> tuple[int, dict[str, Any]]:
            seat = hire_worker(
                caller=self.caller,
                worker_id=new.id,
                flow=new.flow,
                description=new.description,
                instructions=new.instructions or "",
                settings=new.settings,
            )
            return 201, seat_shape(seat)

        return self.once(hire)


class ForkView(WriteView):
    """Hire a copy of a worker."""

    describes = {
        "POST": Operation(
            id="forkWorker",
            summary="Hire a copy of a worker, as it is now, under an id of one's own.",
            answers={201: Answer("The copy.", WorkerAnswer)},
            body=WorkerFork,
            refuses=frozenset({404, 409}),
        )
    }

    def post(self, request: HttpCall) -> Response:
        asked = self.body(WorkerFork)

        def fork() -> tuple[int, dict[str, Any]]:
            seat = fork_worker(caller=self.caller, origin=asked.origin, worker_id=asked.id)
            return 201, seat_shape(seat)

        return self.once(fork)


class EditView(WriteView):
    """Change a worker of one's own."""

    describes = {
        "POST": Operation(
            id="editWorker",
            summary="Change a worker of one's own; only what is given changes.",
            answers={200: Answer("The worker as it is now.", WorkerAnswer)},
            body=WorkerChanges,
            refuses=CONFLICT,
        )
    }

    def post(self, request: HttpCall, worker: str) -> Response:
        changes = self.body(WorkerChanges).model_dump(exclude_none=True)

        def edit() -> tuple[int, dict[str, Any]]:
            return 200, seat_shape(edit_worker(caller=self.caller, worker_id=worker, **changes))

        return self.once(edit)


class FireView(WriteView):
    """Fire a worker of one's own."""

    describes = {
        "POST": Operation(
            id="fireWorker",
            summary="Fire a worker of one's own: its conversations stay readable, no new turn runs as it.",
            answers={204: Answer("It is fired.")},
            body=NoInput,
            refuses=CONFLICT,
        )
    }

    def post(self, request: HttpCall, worker: str) -> Response:
        self.body(NoInput)

        def fire() -> tuple[int, None]:
            fire_worker(caller=self.caller, worker_id=worker)
            return 204, None

        return self.once(fire)


class EnsureSessionView(WriteView):
    """One's own conversation with a worker."""

    describes = {
        "POST": Operation(
            id="ensureWorkerSession",
            summary="One's latest conversation with a worker on its present kind, made when there is none.",
            answers={
                200: Answer("The conversation that was there.", SessionAnswer, headers=("Location",)),
                201: Answer("A new one.", SessionAnswer, headers=("Location",)),
            },
            body=NoInput,
            refuses=CONFLICT,
        )
    }

    def post(self, request: HttpCall, worker: str) -> Response:
        self.body(NoInput)

        def ensure() -> tuple[int, dict[str, Any]]:
            session, made = ensure_worker_session(caller=self.caller, worker_id=worker)
            return (201 if made else 200), session_shape(session)

        response = self.once(ensure)
        if response.status_code < 300:
            response["Location"] = f"/api/sessions/{response.data['id']}"
        return response
