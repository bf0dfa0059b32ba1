"""What an agent does for those above and below it: a coordinator's posts, and the endings of its own tasks.

See docs/delegation.md.
"""

from __future__ import annotations

from typing import Any

from workforce.errors import DomainError
from workforce.kinds.base import Action, Call, Mode
from workforce.kinds.delegated import HEAR, DelegateAnswer, DelegatedPost
from workforce.kinds.endings import HEAR as HEAR_ENDING
from workforce.kinds.endings import TaskEnding
from workforce.kinds.work import Failure, Work
from workforce.services.delegating import answer_request
from workforce.turns.prompting import Frame
from workforce.turns.running import Ask, Outcome, finish_turn, take_turn

#: What a delegate is told in a further round, before the post.
AGAIN = (
    "The last lines before this are what the delegates answered to it. Correct or add what is yours; it asks:"
)


def answer_delegated(work: Work) -> Outcome:
    """The turn that a coordinator's post asks for, with the lines before it."""
    post: DelegatedPost = work.input
    before = [*(post.recent or ()), *(post.answers or ())]
    ask = Ask(
        post.line(),
        before=[{"from": line["from"], "text": line["text"]} for line in before],
        about={"delegated": post},
        question=post.body,
        frame=Frame(post.line(), AGAIN) if post.answers else None,
    )
    try:
        return take_turn(work, ask)
    except DomainError as refusal:  # nobody takes this turn; the coordinator must hear of it
        return Outcome("", refusal)


def end_delegated(call: Call) -> Failure | dict[str, Any]:
    """Show the answer or the error, and hand either to the coordinator's conversation."""
    outcome: Outcome = call.worked
    post: DelegatedPost = call.input
    conversation = call.session.parent
    if conversation is not None:
        failure = outcome.failure
        error = "" if failure is None else f"{failure.code}: {failure.words}"
        answer = DelegateAnswer(token=post.token, text=outcome.text, error=error)
        call.owed.append(answer_request(conversation=conversation, answer=answer, of=call.request))
    return finish_turn(call, outcome)


def hear_ending(work: Work) -> Outcome:
    """The turn in which the worker reads how a task ended that it filed."""
    ending: TaskEnding = work.input
    ask = Ask(
        ending.line(),
        about={"ending": ending},
        question=ending.text,
        frame=Frame(ending.line(), ending.opening(), ending.guide()),
        author=ending.worker,
        needs_answer=False,
    )
    return take_turn(work, ask)


def end_ending(call: Call) -> Failure | dict[str, Any]:
    """Show what the worker says to it, or the error."""
    return finish_turn(call, call.worked)


DELEGATED_POST = Action(
    name=HEAR,
    input=DelegatedPost,
    work=answer_delegated,
    run=end_delegated,
    mode=Mode.BACKGROUND,
    public=False,
    serial=True,
    description="A post that a coordinator hands to the seat.",
)
TASK_SETTLED = Action(
    name=HEAR_ENDING,
    input=TaskEnding,
    work=hear_ending,
    run=end_ending,
    mode=Mode.BACKGROUND,
    public=False,
    serial=True,
    description="How a task ended that the worker filed, or what it asks.",
)
