"""Taking a turn and ending it: what kinds of workers build on. See docs/turns.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from workforce.errors import DomainError, NoSuchFlow
from workforce.kinds import Call, Failure, Work, WorkerKind, get_kind
from workforce.models import Request, Seat, Session
from workforce.selectors.documents import readable_documents
from workforce.toolsets import Turn, tools_for
from workforce.turns.errors import EmptyAnswer, ModelNotConfigured, NoWorker, WorkerRetired, WorkerUnreadable
from workforce.turns.fences import Fence, clean, cut
from workforce.turns.keeping import keep_ending, keep_user_line
from workforce.turns.limits import LONGEST_ANSWER, turn_limits
from workforce.turns.models import Sources, Text
from workforce.turns.prompting import Frame, instructions_for, prompt_for
from workforce.turns.toolcalls import ToolCalls

if TYPE_CHECKING:
    from workforce.turns.engine import Exchange


@dataclass(frozen=True, slots=True)
class Ask:
    """What a turn is to answer."""

    #: The line as the conversation keeps and shows it.
    text: str
    #: What the operators say about the place that the turn answers in; part of the instructions.
    charter: str = ""
    #: Earlier lines (``from``, ``text``) that this turn alone is shown.
    before: Sequence[Mapping[str, str]] = ()
    #: What toolsets may look at, by name: ``post`` is a PostDelivery, ``task`` a TaskDelivery.
    about: Mapping[str, Any] = field(default_factory=dict)
    #: The question alone, without who asked it where; the text, when empty.
    question: str = ""
    #: The server's own words around the line, when its conversation shows it otherwise than the model reads it.
    frame: Frame | None = None
    #: Whether a turn without a text has failed.
    needs_answer: bool = True
    #: Under which worker's id the line stands, when it is not a person's.
    author: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a turn went: a text, or a failure. Tokens count in both."""

    text: str
    failure: DomainError | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    #: What toolsets noted in the turn.
    notes: dict[str, Any] = field(default_factory=dict)


def take_turn(work: Work, ask: Ask) -> Outcome:
    """Have the session's worker answer: the slow part, for ``Action.work``. The line is kept before anything else.

    What goes wrong with the model is the outcome's ``failure``. Raises NoWorker, WorkerRetired and
    WorkerUnreadable before anything is written, RunLost and RunAborted when the run is to end, and whatever
    a tool's defect raises.
    """
    seat, settings = check_worker(work.session)
    post = ask.about.get("post")
    shown = {"postId": post.post_id} if post is not None else {}
    keep_user_line(work, ask.text, **shown, **({"author": ask.author} if ask.author else {}))
    turn = Turn(seat, work.session, work.request, work, settings, dict(ask.about))
    try:
        from workforce.turns.engine import converse
    except ImportError as error:
        return Outcome(
            "", ModelNotConfigured(f"turns need the extra 'agents': {error.name} is not installed")
        )
    exchange = _exchange(turn, ask)
    tokens = exchange.tokens
    try:
        text = answer_text(converse(exchange))
        failure: DomainError | None = None if text or not ask.needs_answer else EmptyAnswer()
    except DomainError as refusal:
        text, failure = "", refusal
    except BaseException:
        _keep_tokens(work, tokens.input, tokens.output)
        raise
    if isinstance(failure, EmptyAnswer) and (not ask.needs_answer or _answered(turn, post)):
        failure = None
    return Outcome(text, failure, tokens.input, tokens.output, turn.notes)


def _exchange(turn: Turn, ask: Ask) -> Exchange:
    """What the turn's model is asked, all read from the database before it is called."""
    from workforce.turns.engine import Exchange
    from workforce.turns.history import history_for

    limits, fence = turn_limits(), Fence()
    return Exchange(
        model=getattr(turn.settings, "model", None),
        instructions=instructions_for(turn.seat, ask.charter, fence),
        prompt=prompt_for(ask.frame or Frame(ask.text), ask.before, fence),
        limits=limits,
        history=history_for(turn.request, fence),
        sources=Sources(ask.question or ask.text, lambda: own_texts(turn.seat)),
        calls=ToolCalls(turn, tools_for(turn), fence, limits.tool_calls),
        check=turn.work.check,
    )


def finish_turn(call: Call, outcome: Outcome) -> Failure | dict[str, Any]:
    """Show how the turn ended, for ``Action.run``: returns what the action returns in turn."""
    call.request.input_tokens, call.request.output_tokens = outcome.input_tokens, outcome.output_tokens
    if outcome.failure is not None:
        refusal = outcome.failure
        keep_ending(call, {"code": refusal.code, "message": refusal.words}, error=True)
        return Failure(refusal)
    if outcome.text:
        author = call.session.seat.seat_id if call.session.seat else ""
        keep_ending(call, {"role": "assistant", "text": outcome.text, "author": author})
    return {"text": outcome.text}


def check_worker(session: Session) -> tuple[Seat, BaseModel]:
    """The session's worker and its settings. Raises NoWorker, WorkerRetired and WorkerUnreadable."""
    seat = session.seat
    if seat is None:
        raise NoWorker(
            f"the session '{session.address}' belongs to no worker; call it in a conversation of one"
        )
    if seat.retired_at is not None:
        raise WorkerRetired(f"the worker '{seat.seat_id}' was retired; no new turn runs as it")
    if seat.kind != session.kind:
        raise WorkerUnreadable(
            f"the worker '{seat.seat_id}' is of the kind '{seat.kind}' now, and this conversation of the kind "
            f"'{session.kind}'; it stays as it is, and what is new goes into another one"
        )
    try:
        kind = get_kind(seat.kind)
        if isinstance(kind, WorkerKind):
            return seat, kind.settings.model_validate(seat.settings)
        reason = f"'{seat.kind}' is no kind of worker"
    except NoSuchFlow:
        reason = f"no kind '{seat.kind}' is registered"
    except ValidationError as error:
        keys = sorted({str(fault["loc"][0]) for fault in error.errors() if fault["loc"]})
        reason = f"its settings do not fit its kind '{seat.kind}': {', '.join(keys) or 'they are no object'}"
    raise WorkerUnreadable(f"the worker '{seat.seat_id}' cannot be read: {reason}")


def answer_text(text: str) -> str:
    """A model's text as a conversation can keep and a mailbox can take it."""
    return cut(clean(text).strip(), LONGEST_ANSWER)


def own_texts(seat: Seat) -> list[Text]:
    """What the offline model may quote: the worker's own instructions, and the documents that it can read."""
    own = [Text("my instructions", seat.instructions)] if seat.instructions.strip() else []
    return own + [Text(document.document_id, document.body) for document in readable_documents(seat)]


def _answered(turn: Turn, post: Any) -> bool:
    return post is not None and post.post_id in turn.notes.get("answered", ())


def _keep_tokens(work: Work, input: int, output: int) -> None:
    """What a run used that ends without a word: the row is still this run's, or nothing is written."""
    rows = Request.objects.filter(pk=work.request.pk, claimed_by=work.request.claimed_by)
    rows.filter(status=Request.Status.IN_PROGRESS).update(input_tokens=input, output_tokens=output)
