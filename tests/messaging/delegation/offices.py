"""A coordinator, its delegates, and models that say what a test scripts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from boards.drains.draining import drain_boards
from boards.drains.minding import mind_held
from tests.conftest import Player
from workforce.dispatch.run import try_run
from workforce.dispatch.sweep import run_due
from workforce.evaluating import Question, Verdict
from workforce.models import Item, Request, Seat, Session
from workforce.turns.models import register_model

#: One reply of a scripted model: a text, calls of tools, or something that is raised.
Reply = str | list[tuple[str, Any]] | BaseException


@dataclass
class Office:
    """One user's workers. The model of a worker is scripted under its id; unscripted it says that it did it."""

    owner: Player
    scripts: dict[str, list[Reply]] = field(default_factory=dict)
    #: What each worker's model was asked, call by call.
    asked: dict[str, list[tuple[list[ModelMessage], AgentInfo]]] = field(default_factory=dict)

    def hire(self, seat_id: str, *, kind: str = "agent", own: bool = False, **settings: Any) -> Seat:
        description = settings.pop("description", f"Does what {seat_id} does.")
        if kind != "handler":
            settings = {"model": f"office:{seat_id}", **settings}
        return Seat.objects.create(
            organization=self.owner.organization,
            owner=self.owner.user if own else None,
            seat_id=seat_id,
            kind=kind,
            description=description,
            settings=settings,
        )

    def lead(
        self, routing: str = "judgment", *delegates: str, kind: str = "coordinator", **settings: Any
    ) -> Session:
        """A conversation with a coordinator that has these delegates, which are hired when they are not yet."""
        for worker in delegates:
            if worker != "lead" and not Seat.objects.filter(seat_id=worker).exists():
                self.hire(worker)
        given = {"routing": routing} if kind == "coordinator" else {}
        seat = self.hire("lead", kind=kind, delegates=list(delegates), **given, **settings)
        return self.conversation(seat)

    def conversation(self, seat: Seat, address: str = "", **fields: Any) -> Session:
        return Session.objects.create(
            organization=self.owner.organization,
            owner=self.owner.user,
            address=address or f"talk-{seat.seat_id}",
            kind=seat.kind,
            seat=seat,
            **fields,
        )

    def script(self, worker: str, *replies: Reply) -> None:
        """The last reply is repeated."""
        self.scripts[worker] = list(replies)

    def say(
        self, session: Session, message: str = "What is the capital of France?", *, run: bool = True
    ) -> Request:
        request = ask(session, "run", {"message": message})
        if run:
            self.work()
        return Request.objects.get(pk=request.pk)

    def run(self, request: Request) -> Request:
        assert try_run(request.uid)
        return Request.objects.get(pk=request.pk)

    def work(self) -> int:
        """Run and drain until nothing is left to do."""
        total = 0
        while ran := run_due() + mind_held() + drain_boards():
            total += ran
        return total

    def register(self) -> None:
        register_model(
            "office:", lambda name: FunctionModel(self._answerer(name.partition(":")[2]), model_name=name)
        )

    def _answerer(self, worker: str) -> Callable[..., Any]:
        async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            talk = self.asked.setdefault(worker, [])
            replies = self.scripts.get(worker, [f"{worker} did it."])
            reply = replies[min(len(talk), len(replies) - 1)]
            talk.append((messages, info))
            if isinstance(reply, BaseException):
                raise reply
            if isinstance(reply, str):
                return ModelResponse(parts=[TextPart(reply)])
            return ModelResponse(parts=[ToolCallPart(tool, args) for tool, args in reply])

        return answer

    def tools(self, worker: str, call: int = -1) -> dict[str, Any]:
        """The tools that the worker's model was offered, by name."""
        return {tool.name: tool for tool in self.asked[worker][call][1].function_tools}

    def prompt(self, worker: str, call: int = -1) -> str:
        return str(self.asked[worker][call][0][-1].parts[-1].content)  # type: ignore[union-attr]


def ask(session: Session, action: str, input: Any, **fields: Any) -> Request:
    """A pending serial request, as the head of a chain of its own unless another is named."""
    values = {"source": "http", "serial": True, **fields}
    request = Request(session=session, action=action, input=input, **values)
    request.chain_uid = request.chain_uid or request.uid
    request.save(force_insert=True)
    return request


def lines(session: Session) -> list[tuple[str, str, str]]:
    """The messages of a conversation: role, author, text."""
    rows = Item.objects.filter(session=session, type="message").order_by("seq").values_list("data", flat=True)
    return [(data["role"], data.get("author", ""), data["text"]) for data in rows if data]


def texts(session: Session) -> list[str]:
    return [text for _, _, text in lines(session)]


def routes(session: Session) -> list[dict[str, Any]]:
    rows = Item.objects.filter(session=session, component="coordinator-route").order_by("seq")
    return [dict(data) for data in rows.values_list("data", flat=True) if data]


def handed(route: dict[str, Any]) -> list[str]:
    return [one["worker"] for one in route["delegates"] if one["outcome"] == "handed"]


def errors(session: Session) -> list[str]:
    rows = Item.objects.filter(session=session, type="error").order_by("seq").values_list("data", flat=True)
    return [data["code"] for data in rows if data]


def below(session: Session, worker: str) -> Session:
    return Session.objects.get(parent=session, seat__seat_id=worker)


@dataclass
class Judge:
    """An evaluator that a test scripts, and the questions it was asked."""

    verdict: Verdict = field(default_factory=lambda: Verdict(None, "none fits"))
    asked: list[Question] = field(default_factory=list)

    def __call__(self, question: Question) -> Verdict:
        self.asked.append(question)
        return self.verdict

    def picks(self, worker: str, score: float | None = 0.9) -> None:
        self.verdict = Verdict(worker, score=score)
