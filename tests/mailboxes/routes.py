"""A routed mailbox with seats that listen, and an evaluator that says what a test wrote down for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import BaseModel

from mailboxes.evaluators import Question
from mailboxes.models import Answer, Declaration, Placement
from mailboxes.services.handing import hand_in
from tests.conftest import Mailbox, Player
from workforce.dispatch.sweep import run_due
from workforce.kinds import Action, Call, Mode, Work, WorkerKind, registry
from workforce.kinds.posts import PostDelivery
from workforce.models import Item, Request, Seat, Session
from workforce.toolsets import Turn, tools_for

EVALUATOR = "tests.mailboxes.routes.evaluate"
BOX = "support.help"
MEMBERS = ["support.devices", "support.orders", "support.general"]
FALLBACK = "support.general"


@dataclass
class Script:
    """What the evaluator answers, call by call, and what seats do in their turns; then what they were asked."""

    answers: list[Any] = field(default_factory=list)
    asked: list[Question] = field(default_factory=list)
    #: The calls that the next turns make: tool names with their inputs, and what each returned.
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    #: Called inside the slow part of turns, before and after their calls.
    first: Callable[[Work], Any] | None = None
    then: Callable[[Work], Any] | None = None
    #: What the woken seats say; None says nothing.
    says: str | None = None
    heard: list[PostDelivery] = field(default_factory=list)
    tools: list[str] = field(default_factory=lambda: ["post-to-mailbox", "file-task"])


SCRIPT = Script()


def evaluate(question: Question) -> Any:
    """The evaluator that tests name by its dotted path."""
    SCRIPT.asked.append(question)
    answer = SCRIPT.answers.pop(0) if SCRIPT.answers else None
    if isinstance(answer, BaseException):
        raise answer
    return answer(question) if callable(answer) else answer


class ListenerSettings(BaseModel):
    tools: list[str] = []


def take_turn(work: Work) -> None:
    """Call the scripted tools as a model would, in a turn about the post."""
    settings = ListenerSettings(tools=SCRIPT.tools)
    seat = work.session.seat
    assert seat is not None
    turn = Turn(seat, work.session, work.request, work, settings, about={"post": work.input})
    tools = {tool.name: tool for tool in tools_for(turn)}
    if SCRIPT.first is not None:
        SCRIPT.first(work)
    for name, given in SCRIPT.calls:
        try:
            tool = tools[name]
            SCRIPT.results.append(tool.run(turn, tool.input.model_validate(given)))
        except Exception as refusal:
            SCRIPT.results.append(refusal)
    if SCRIPT.then is not None:
        SCRIPT.then(work)


def hear(call: Call) -> None:
    """Remember the delivery; hand the answer of a routed post over, as a deployment's own kind does."""
    delivery: PostDelivery = call.input
    SCRIPT.heard.append(delivery)
    if SCRIPT.says is not None and delivery.routed:
        assert call.session.parent is not None
        answer = {"postId": delivery.post_id, "body": SCRIPT.says, "author": delivery.member}
        hand_in(
            call=call,
            mailbox=call.session.parent,
            entry="answer",
            input=answer,
            key=f"answer:{call.request.uid}",
        )


class Listener(WorkerKind):
    """A worker of a deployment's own kind that hears posts."""

    name = "listener"
    settings = ListenerSettings

    def declare_actions(self) -> list[Action]:
        return [
            Action(
                name="onMailboxPost",
                input=PostDelivery,
                work=take_turn,
                run=hear,
                mode=Mode.BACKGROUND,
                public=False,
                serial=True,
            )
        ]


@pytest.fixture
def script(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    """A script of its own for the test, the evaluator that reads it, and the kind that listens."""
    settings.ROUTE_EVALUATOR = EVALUATOR
    monkeypatch.setitem(registry._KINDS, Listener.name, Listener())
    SCRIPT.__init__()  # type: ignore[misc]
    yield SCRIPT
    SCRIPT.__init__()  # type: ignore[misc]


@pytest.fixture
def routed(owner: Player, mailbox: Mailbox, seat: Callable[..., Seat], script: Script) -> Session:
    """A mailbox with three members that routes, with a standard seat for each."""
    box = mailbox(BOX, members=MEMBERS)
    declare(box)
    for member in MEMBERS:
        seat(member, kind="listener", description=f"Knows about {member.partition('.')[2]}.")
    return box


def declare(box: Session, fallback: str = FALLBACK) -> None:
    """What the file of the mailbox says today."""
    values = {"kind": "mailbox", "members": MEMBERS, "fallback": fallback, "live": True}
    Declaration.objects.update_or_create(
        organization=box.organization, mailbox_id=box.address, defaults=values
    )


def post(player: Player, body: str = "It beeps.", *, run: bool = True, **input: Any) -> str:
    """A person's post, and everything that follows from it; the post's id."""
    post_id: str = player.api.line(BOX, body, **input)["id"]
    if run:
        run_due()
    return post_id


def speak(box: Session, member: str, body: str = "On it.", *, post_id: str | None = None) -> Request:
    """A line of a member's own, or its answer to a post, handed over and run."""
    given = {"body": body, "author": member}
    request = Request.objects.create(
        session=box,
        action="seatPost" if post_id is None else "answer",
        source="dispatch",
        serial=True,
        input=given if post_id is None else {**given, "postId": post_id},
    )
    run_due()
    request.refresh_from_db()
    return request


def routes(box: Session) -> list[dict[str, Any]]:
    """The route items of the mailbox, oldest first."""
    items = Item.objects.filter(session=box, component="mailbox-route").order_by("seq")
    return [item.data for item in items]


def fan_out(post_id: str) -> Request:
    return Request.objects.get(dispatch_key=f"onPosted:{post_id}")


def woken(post_id: str) -> list[str]:
    """The members that were handed the post."""
    wakes = Request.objects.filter(action="onMailboxPost", dispatch_key__startswith=f"wake:{post_id}:")
    return [wake.input["member"] for wake in wakes.order_by("id")]


def answers(post_id: str) -> int:
    return Answer.objects.filter(pk=post_id).count()


def placement(post_id: str) -> Placement:
    return Placement.objects.get(pk=post_id)
