"""The built-in agent: a worker with a conversation of its own, which answers by taking turns. See docs/turns.md."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from workforce.dispatch.handoffs import hand_off
from workforce.errors import DomainError
from workforce.kinds.agent_settings import AgentSettings
from workforce.kinds.base import Action, Call, ClosedModel, Mode, WorkerKind
from workforce.kinds.messages import MessageDelivery, get_postman
from workforce.kinds.posts import PostDelivery
from workforce.kinds.tasks import TaskDelivery, get_ledger
from workforce.kinds.work import Failure, Work
from workforce.models import Request, Session
from workforce.texts import Body
from workforce.turns.prompting import Frame
from workforce.turns.running import Ask, Outcome, finish_turn, take_turn
from workforce.workers.delegate import DELEGATED_POST, TASK_SETTLED

#: What a worker is told when it works a row of a board.
TASK_CHARTER = (
    "You were handed a task of a board. Do what its goal asks. Your last text is the task's result, and all that is "
    "kept of your work: write it so that somebody who knows nothing else can use it."
)


class Message(ClosedModel):
    """What somebody says to the worker."""

    message: Body


class Said(ClosedModel):
    """What the worker answered."""

    text: str


def answer_message(work: Work) -> Outcome:
    """The turn that a message of the session's owner asks for."""
    message: Message = work.input
    return take_turn(work, Ask(message.message))


def answer_post(work: Work) -> Outcome:
    """The turn that a post of a mailbox asks for."""
    return take_turn(work, ask_of_post(work.session, work.input))


def ask_of_post(session: Session, delivery: PostDelivery) -> Ask:
    """What a post of a mailbox asks of a turn, under the mailbox's charter."""
    return Ask(
        delivery.line(),
        charter=_charter_of(session),
        before=[{"from": line["from"], "text": line["text"]} for line in delivery.recent or ()],
        about={"post": delivery},
        question=delivery.body,
    )


def end_turn(call: Call) -> Failure | dict[str, Any]:
    """Show the answer or the error."""
    return finish_turn(call, call.worked)


def end_post(call: Call) -> Failure | dict[str, Any]:
    """Show the answer or the error, and hand the answer to a routed post over to its mailbox."""
    outcome: Outcome = call.worked
    delivery: PostDelivery = call.input
    if delivery.routed and outcome.failure is None and outcome.text:
        call.owed.append(answer_to_mailbox(call, delivery.post_id, outcome.text, turn=call.request.uid))
    return finish_turn(call, outcome)


def read_message(work: Work) -> Outcome:
    """The turn in which the worker reads what another one wrote to it."""
    return take_turn(work, ask_of_message(work.input))


def ask_of_message(delivery: MessageDelivery) -> Ask:
    """What a message of another worker asks of a turn."""
    return Ask(
        delivery.line(),
        about={"message": delivery},
        question=delivery.text,
        frame=Frame(delivery.said(), f"{delivery.opening()}\n", f"\n{delivery.guide()}"),
        needs_answer=False,
        author=delivery.sender,
    )


def end_message(call: Call) -> Failure | dict[str, Any]:
    """Show the answer or the error; the answer goes to who asked, unless the turn wrote to it."""
    outcome: Outcome = call.worked
    if outcome.failure is None:
        get_postman().answer(call, call.input, outcome.text)
    return finish_turn(call, outcome)


def do_task(work: Work) -> Outcome:
    """The turn that works a row, whose lease is renewed meanwhile."""
    delivery: TaskDelivery = work.input
    get_ledger().hold(work, delivery)
    ask = Ask(
        task_text(delivery),
        charter=TASK_CHARTER,
        about={"task": delivery},
        question=f"{delivery.title} {delivery.goal}".strip(),
    )
    try:
        return take_turn(work, ask)
    except DomainError as refusal:  # nobody takes this turn; the row must hear of it
        return Outcome("", refusal)


def end_task(call: Call) -> Failure | dict[str, Any]:
    """Settle the row by how the turn ended."""
    outcome: Outcome = call.worked
    delivery: TaskDelivery = call.input
    if outcome.failure is None:
        get_ledger().complete(call, delivery, outcome.text)
    else:
        get_ledger().fail(call, delivery, f"{outcome.failure.code}: {outcome.failure.words}")
    return finish_turn(call, outcome)


def task_text(delivery: TaskDelivery) -> str:
    """The row as the worker's conversation shows it: what is empty is left out."""
    heading = f"Task {delivery.task_id} of {delivery.board_id}"
    lines = [f"{heading}: {delivery.title}" if delivery.title else heading, f"Goal: {delivery.goal}"]
    if delivery.context:
        lines.append(f"Context: {delivery.context}")
    if delivery.input is not None:
        lines.append(f"Input: {json.dumps(delivery.input, ensure_ascii=False)}")
    if delivery.feedback:
        lines.append(f"Feedback on the attempt before: {delivery.feedback}")
    return "\n".join(lines)


def _charter_of(session: Session) -> str:
    """The charter of the mailbox that the conversation belongs to."""
    state = session.parent.state if session.parent is not None else None
    charter = state.get("charter") if isinstance(state, dict) else None
    return charter if isinstance(charter, str) else ""


def answer_to_mailbox(call: Call, post_id: str, text: str, *, turn: UUID) -> Request:
    """The answer to a routed post as the mailbox above takes it; it keeps the first that lands for a post.

    ``turn`` is the request that the post woke: one row for each.
    """
    seat, mailbox = call.session.seat, call.session.parent
    assert (
        seat is not None and mailbox is not None
    )  # a routed delivery reaches a seat's conversation below a mailbox
    return hand_off(
        of=call.request,
        session_id=mailbox.pk,
        action="answer",
        input={"postId": post_id, "body": text, "author": seat.seat_id},
        key=f"answer:{turn}",
    )


class AgentKind(WorkerKind):
    """A worker that answers its owner, the posts of its mailboxes and the rows of its boards."""

    name = "agent"
    description = "A worker that reads and answers in conversations."
    settings = AgentSettings
    speaks = ("run", "message")
    sends_messages = True

    def declare_actions(self) -> list[Action]:
        background: dict[str, Any] = {"mode": Mode.BACKGROUND, "serial": True}
        return [
            Action(
                name="run",
                input=Message,
                output=Said,
                work=answer_message,
                run=end_turn,
                description="Say something to the worker; its answer is the request's output.",
                **background,
            ),
            Action(
                name="onMailboxPost",
                input=PostDelivery,
                work=answer_post,
                run=end_post,
                public=False,
                description="A post of a mailbox that the seat is a member of.",
                **background,
            ),
            Action(
                name="onWorkerMessage",
                input=MessageDelivery,
                work=read_message,
                run=end_message,
                public=False,
                description="A message of another worker.",
                **background,
            ),
            Action(
                name="work",
                input=TaskDelivery,
                work=do_task,
                run=end_task,
                public=False,
                description="A row of a board that the seat is to work.",
                **background,
            ),
            DELEGATED_POST,
            TASK_SETTLED,
        ]
