"""A worker with a conversation, and models that say what a test scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from tests.conftest import Mailbox, Player
from tests.workforce.dispatch.queues import make_request
from workforce import toolsets
from workforce.dispatch.run import try_run
from workforce.models import Item, Request, Seat, Session
from workforce.toolsets import Tool, Turn
from workforce.turns.models import forget_model, register_model

#: One reply of a scripted model: a text, calls of tools, or something that is raised.
Reply = str | list[tuple[str, Any]] | Exception
Talk = list[tuple[list[ModelMessage], AgentInfo]]


class Desk:
    """One worker's conversation: ``say`` has it take a turn."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def say(self, message: str = "Who opens the door?", **fields: Any) -> Request:
        request = make_request(self.session, "run", input={"message": message}, **fields)
        return self.run(request)

    def run(self, request: Request) -> Request:
        assert try_run(request.uid)
        return Request.objects.get(pk=request.pk)

    def items(self, request: Request | None = None) -> list[Any]:
        """What the conversation shows, as ``(type, data)``."""
        rows = Item.objects.filter(session=self.session).order_by("seq")
        if request is not None:
            rows = rows.filter(request=request)
        return list(rows.values_list("type", "data"))


@pytest.fixture
def desk(owner: Player, mailbox: Mailbox, seat: Callable[..., Seat]) -> Callable[..., Desk]:
    """Opens a conversation of a worker below a mailbox: ``desk(model="test:x", instructions="…")``."""

    def make(*, charter: str = "", parent: bool = False, settings: Any = None, **fields: Any) -> Desk:
        worker = seat(settings=settings if settings is not None else {"model": "test:script"}, **fields)
        above = mailbox("support.help", charter=charter) if parent else None
        return Desk(
            Session.objects.create(
                organization=owner.organization,
                owner=owner.user,
                address=f"desk-{worker.pk}",
                kind=worker.kind,
                seat=worker,
                parent=above,
                topic="mailbox" if parent else "",
            )
        )

    return make


Script = Callable[..., Talk]


@pytest.fixture
def script() -> Iterator[Script]:
    """Scripts the model ``test:script``; returns what it was asked, call by call. The last reply is repeated."""

    def write(*replies: Reply, name: str = "test:script") -> Talk:
        talk: Talk = []

        async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            reply = replies[min(len(talk), len(replies) - 1)]
            talk.append((messages, info))
            if isinstance(reply, Exception):
                raise reply
            if isinstance(reply, str):
                return ModelResponse(parts=[TextPart(reply)])
            return ModelResponse(parts=[ToolCallPart(tool, args) for tool, args in reply])

        register_model(name, lambda _: FunctionModel(answer, model_name=name))
        return talk

    yield write
    forget_model("test:script")


class Floor(BaseModel):
    floor: int = 0


Offer = Callable[..., list[Any]]


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Offer:
    """Offers every turn the tool ``ring``, which does as the test says; returns the inputs that it was called with."""

    def make(run: Callable[[Turn, Any], Any] = lambda turn, input: {"rang": input.floor}) -> list[Any]:
        seen: list[Any] = []

        def ring(turn: Turn, input: Floor) -> Any:
            seen.append(input.floor)
            return run(turn, input)

        tool = Tool("ring", "Rings the bell of a floor.", Floor, ring)
        monkeypatch.setattr(toolsets, "_TOOLSETS", {"bell": lambda turn: [tool]})
        return seen

    return make


def ringing(*floors: int) -> list[tuple[str, Any]]:
    return [("ring", {"floor": floor}) for floor in floors]
