"""The built-in coordinator: a worker that hands posts to its delegates. See docs/delegation.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NotRequired

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel
from typing_extensions import TypedDict

from messaging.delegation.modes import THINKING, Routing
from messaging.delegation.selectors.posts import Post
from messaging.delegation.services import listing
from messaging.delegation.services.landing import GO_ON, land_answer
from messaging.delegation.services.rounds import RoundInput, place_round, plan_round
from messaging.delegation.services.routing import (
    Handing,
    Plan,
    coordinator_settings,
    place_post,
    plan_post,
    take_own_turn,
)
from messaging.delegation.settings import CoordinatorSettings
from messaging.delegation.tools import DelegateName, FallbackName
from workforce.kinds import Action, Call, Failure, Mode, NoInput, Work, WorkerKind
from workforce.kinds.delegated import TAKE, DelegateAnswer
from workforce.kinds.endings import HEAR, TaskEnding
from workforce.kinds.messages import MessageDelivery
from workforce.kinds.posts import PostDelivery
from workforce.turns.keeping import keep_user_line
from workforce.turns.running import Ask, Outcome, check_worker, finish_turn, take_turn
from workforce.workers.agent import Message, answer_to_mailbox, ask_of_message, ask_of_post, end_message
from workforce.workers.delegate import hear_ending


class Handed(TypedDict):
    """What became of a line: whom it was handed to, and what the coordinator said itself."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]

    text: NotRequired[str]
    handedTo: list[str]


class ListedDelegate(BaseModel):
    """One delegate, and what it takes now."""

    worker: str
    description: str | None
    takes: str


class DelegateRoll(BaseModel):
    """The delegates of a conversation."""

    model_config = ConfigDict(alias_generator=to_camel)

    delegates: list[ListedDelegate]
    fallback: str | None
    max: int


def route_message(work: Work) -> Plan:
    """Where a line of the session's owner goes."""
    said: Message = work.input
    return plan_post(
        work, Post(work.request.uid, work.session.owner.username, said.message), Ask(said.message)
    )


def route_post(work: Work) -> Plan:
    """Where a post of a mailbox goes; the first answer to one that the mailbox routed here is handed back to it."""
    delivery: PostDelivery = work.input
    post = Post(
        work.request.uid,
        delivery.author or delivery.principal,
        delivery.body,
        delivery.post_id if delivery.routed else "",
    )
    return plan_post(work, post, ask_of_post(work.session, delivery))


def end_route(call: Call) -> Failure | dict[str, Any]:
    """Carry the plan out."""
    return place_post(call, call.worked)


def end_post(call: Call) -> Failure | dict[str, Any]:
    """The same; what the coordinator said itself answers a routed post that it handed to nobody."""
    plan: Plan = call.worked
    outcome, post = plan.outcome, plan.handing.post
    ended = place_post(call, plan)
    said = outcome.text if outcome is not None and outcome.failure is None else ""
    if post.mailbox_post and said and not isinstance(ended, Failure) and not ended["handedTo"]:
        call.owed.append(answer_to_mailbox(call, post.mailbox_post, said, turn=post.uid))
    return ended


def read_message(work: Work) -> Outcome:
    """The coordinator's own turn on a message of another worker; by judgment it may hand that on."""
    delivery: MessageDelivery = work.input
    ask = ask_of_message(delivery)
    if coordinator_settings(work).mode != Routing.JUDGMENT:
        return take_turn(work, ask)
    return take_own_turn(work, ask, Handing(Post(work.request.uid, delivery.sender, delivery.text)))


def read_ending(work: Work) -> Outcome | None:
    """The turn that a task's ending wakes; the line alone in the modes that take none."""
    if coordinator_settings(work).mode in THINKING:
        return hear_ending(work)
    ending: TaskEnding = work.input
    keep_user_line(work, ending.line(), author=ending.worker)
    return None


def end_reading(call: Call) -> Failure | dict[str, Any]:
    """Show what the coordinator says to it, or the error."""
    outcome: Outcome | None = call.worked
    return {"text": ""} if outcome is None else finish_turn(call, outcome)


def list_delegates(call: Call) -> dict[str, Any]:
    """The conversation's delegates."""
    return listing.list_delegates(session=call.session, settings=check_worker(call.session)[1])


def changing(change: Callable[..., dict[str, Any]]) -> Callable[[Call], dict[str, Any]]:
    """An action that changes the conversation's delegates."""

    def run(call: Call) -> dict[str, Any]:
        settings = check_worker(call.session)[1]
        return change(session=call.session, settings=settings, worker=call.input.worker)

    return run


class CoordinatorKind(WorkerKind):
    """A worker that hands what it is told to its delegates, by one of four modes."""

    name = "coordinator"
    description = "A worker that hands posts to its delegates, and tasks too."
    settings = CoordinatorSettings
    speaks = ("run", "message")
    sends_messages = True

    def takes_turns(self, settings: BaseModel) -> bool:
        """By round-robin and everyone it hands every line on."""
        return getattr(settings, "routing", None) in THINKING

    def declare_actions(self) -> list[Action]:
        return [*self._entries(), *self._list_actions()]

    def _entries(self) -> list[Action]:
        background: dict[str, Any] = {"mode": Mode.BACKGROUND, "serial": True}
        inside: dict[str, Any] = {**background, "public": False}
        return [
            Action(
                name="run",
                input=Message,
                output=Handed,
                work=route_message,
                run=end_route,
                description="Say something; it goes to the delegates by the coordinator's mode.",
                **background,
            ),
            Action(
                name="onMailboxPost",
                input=PostDelivery,
                work=route_post,
                run=end_post,
                description="A post of a mailbox that the seat is a member of.",
                **inside,
            ),
            Action(
                name="onWorkerMessage",
                input=MessageDelivery,
                work=read_message,
                run=end_message,
                description="A message of another worker.",
                **inside,
            ),
            Action(
                name=TAKE,
                input=DelegateAnswer,
                run=land_answer,
                description="The answer of a delegate to a post that it was handed.",
                **inside,
            ),
            Action(
                name=GO_ON,
                input=RoundInput,
                work=plan_round,
                run=place_round,
                description="The answers of a round go out again.",
                **inside,
            ),
            Action(
                name=HEAR,
                input=TaskEnding,
                work=read_ending,
                run=end_reading,
                description="How a task ended that the coordinator filed, or what it asks.",
                **inside,
            ),
        ]

    def _list_actions(self) -> list[Action]:
        changes: dict[str, tuple[Any, Any, str]] = {
            "addDelegate": (
                DelegateName,
                listing.add_delegate,
                "Make a worker a delegate in this conversation.",
            ),
            "removeDelegate": (DelegateName, listing.remove_delegate, "Take a delegate off the list."),
            "setFallback": (
                FallbackName,
                listing.set_fallback,
                "Who takes what fits nobody; null for nobody.",
            ),
        }
        return [
            Action(
                name="listDelegates",
                input=NoInput,
                run=list_delegates,
                reads=True,
                output=DelegateRoll,
                description="The delegates of this conversation, and what each takes.",
            ),
            *(
                Action(name=name, input=model, run=changing(change), output=DelegateRoll, description=words)
                for name, (model, change, words) in changes.items()
            ),
        ]
