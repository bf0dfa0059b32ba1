"""Workers of one user that write to each other, each with a model that says what a test scripts."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from messaging.models import WorkerMessage
from messaging.tools.messages import MessageInput, message_worker
from tests.conftest import Player
from workforce.callers import Caller
from workforce.dispatch.claim import claim
from workforce.dispatch.heartbeat import Held
from workforce.dispatch.sweep import run_due
from workforce.dispatch.working import ClaimedWork
from workforce.kinds import registered_kinds
from workforce.models import Item, Organization, Request, Seat, Session, User
from workforce.services.conversing import ensure_worker_session
from workforce.services.running import ActionCall, run_action
from workforce.toolsets import Turn

#: One reply of a model: a text, calls of tools, or something that decides by the prompt.
Reply = str | list[tuple[str, Any]] | Callable[[str], Any] | BaseException


def to(worker: str, text: str = "What is the codename?", **more: Any) -> list[tuple[str, Any]]:
    """A reply that sends one message."""
    return [("messageWorker", {"to": worker, "text": text, **more})]


def message_id_in(prompt: str) -> str:
    """The id of the message that woke the turn, as its first line says it."""
    return prompt.split("\n")[0].split()[1]


class Office:
    """The workers that an owner can reach. A worker's replies are given in order, and the last one is repeated."""

    def __init__(self, player: Player) -> None:
        self.user: User = player.user
        self.organization: Organization = player.organization
        self.replies: dict[str, list[Reply]] = {}
        #: What each worker's model was asked, call by call.
        self.asked: dict[str, list[tuple[str, AgentInfo]]] = {}

    @property
    def caller(self) -> Caller:
        return Caller(user=self.user, organization=self.organization)

    def hire(self, worker_id: str, *replies: Reply, kind: str = "agent", **fields: Any) -> Seat:
        settings = fields.pop("settings", {"model": f"test:{worker_id}"} if kind == "agent" else {})
        self.replies[worker_id], self.asked[worker_id] = list(replies) or ["Noted."], []
        values = {"organization": self.organization, "description": f"Is {worker_id}.", **fields}
        return Seat.objects.create(seat_id=worker_id, kind=kind, settings=settings, **values)

    def script(self, worker_id: str, *replies: Reply) -> None:
        self.replies[worker_id] = list(replies)

    def model(self, name: str) -> FunctionModel:
        worker_id = name.partition(":")[2]

        async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            prompt = prompt_of(messages)
            self.asked[worker_id].append((prompt, info))
            replies = self.replies[worker_id]
            reply = replies.pop(0) if len(replies) > 1 else replies[0]
            if callable(reply) and not isinstance(reply, BaseException):
                reply = reply(prompt)
            if isinstance(reply, BaseException):
                raise reply
            if isinstance(reply, str):
                return ModelResponse(parts=[TextPart(reply)])
            return ModelResponse(parts=[ToolCallPart(tool, args) for tool, args in reply])

        return FunctionModel(answer, model_name=name)

    def own(self, worker_id: str) -> Session:
        """The user's own conversation with the worker."""
        return ensure_worker_session(caller=self.caller, worker_id=worker_id)[0]

    def say(self, worker_id: str, text: str = "Go on.", *, run: bool = True) -> Request:
        """A line of the user; then everything that follows from it."""
        asked = ActionCall("agent", "run", self.own(worker_id).address, {"message": text})
        request = run_action(caller=self.caller, asked=asked)
        if run:
            self.run()
        return Request.objects.get(pk=request.pk)

    def run(self) -> int:
        """Run until nothing is left to do; how many requests ran."""
        total = 0
        while ran := run_due():
            total += ran
        return total

    def turn(self, worker_id: str, *, session: Session | None = None, **fields: Any) -> Turn:
        """A turn of the worker that is under way."""
        place = session or self.own(worker_id)
        fields = {"uid": (uid := uuid.uuid4()), "chain_uid": uid, "action": "run", "source": "http", **fields}
        request = Request.objects.create(session=place, input={"message": "Go on."}, **fields)
        claimed = claim(request.uid)
        assert claimed is not None and place.seat is not None
        work = ClaimedWork(place, claimed, None, Held(claimed))
        settings = registered_kinds()[place.kind].settings.model_validate(place.seat.settings)
        return Turn(place.seat, place, claimed, work, settings)

    def send(
        self, turn: Turn, worker_id: str, text: str = "What is the codename?", **more: Any
    ) -> dict[str, Any]:
        """What the tool answers to the turn."""
        return message_worker(turn, MessageInput.model_validate({"to": worker_id, "text": text, **more}))

    def log(self) -> list[WorkerMessage]:
        return list(WorkerMessage.objects.order_by("pk"))

    def said(self) -> list[tuple[str, str, str]]:
        """The log as who, to whom, what."""
        return [(message.sender, message.recipient, message.text) for message in self.log()]

    def shown(self, session: Session | str) -> list[str]:
        """The lines of a conversation: what was told and answered, under which name."""
        place = self.own(session) if isinstance(session, str) else session
        rows = Item.objects.filter(session=place, type="message").order_by("seq")
        return [
            f"{data.get('author') or 'told'}| {data['text']}" for data in rows.values_list("data", flat=True)
        ]

    def outputs(self, worker_id: str) -> list[dict[str, Any]]:
        """What the tool answered to the worker, in all its conversations."""
        rows = Item.objects.filter(session__seat__seat_id=worker_id, type="tool_output").order_by("pk")
        return [data["output"] for data in rows.values_list("data", flat=True)]


def prompt_of(messages: list[ModelMessage]) -> str:
    """The last thing that the model was told by somebody."""
    texts = [
        str(part.content)
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, UserPromptPart)
    ]
    return texts[-1]
