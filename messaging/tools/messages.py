"""``messageWorker``: one worker asks or tells another something. See docs/worker-messages.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from messaging.errors import EmptyMessage, MessageTooLong, NotDelivered
from messaging.limits import LONGEST
from messaging.models import WorkerMessage
from messaging.selectors.recipients import LISTED, access_recipient, recipients_of
from messaging.selectors.sent import access_answered, find_sent
from messaging.services.sending import Letter, check_chain, check_turn, left_in, log_refused, send
from workforce.errors import DomainError
from workforce.kinds import ClosedModel, WorkerKind, registered_kinds
from workforce.refusals import is_blank
from workforce.texts import Text
from workforce.toolsets import Tool, Turn

NAME = "messageWorker"
#: How much of each worker's description the tool shows.
SHOWN = 300
ABOUT = (
    "Ask or tell another worker something. It reads the message in a turn of its own; nothing is owed, and you do "
    "not wait. Answer a message you were sent with replyTo."
)


class MessageInput(ClosedModel):
    """A message to another worker."""

    model_config = ConfigDict(alias_generator=to_camel)

    to: str = Field(description="The worker's id, as listed.")
    text: Text = Field(description="What to say, 1 to 8,000 characters.")
    reply_to: str | None = Field(
        default=None, description="The id of the message of that worker that it answers."
    )


def message_worker(turn: Turn, asked: MessageInput) -> dict[str, Any]:
    """Send it. What is refused is the tool's answer, and nothing is sent."""
    try:
        message = _send(turn, asked)
    except DomainError as refusal:
        return {"ok": False, "error": f"{refusal.code}: {refusal.words}"}
    return {"sent": message.message_id, "hopsLeft": left_in(message)}


def _send(turn: Turn, asked: MessageInput) -> WorkerMessage:
    """Every check in its order; the last ones are the transaction's."""
    _check_text(asked.text)
    recipient = access_recipient(
        organization=turn.session.organization, owner=turn.session.owner, sender=turn.seat, to=asked.to
    )
    answers = None
    if asked.reply_to is not None:
        answers = access_answered(place=turn.session, seat=turn.seat, to=asked.to, message_id=asked.reply_to)
    # Of each recipient for itself: a turn that runs again may word it otherwise, or write to another one first.
    # What is refused without a row has no number, for the turn may not make the same mistake again.
    which = f"message:{recipient.pk}"
    letter = Letter(turn.seat, recipient, asked.text, answers, turn.next_key(which))
    message = find_sent(letter.key) or _deliver(turn, letter)
    turn.key(which)
    if message.status == WorkerMessage.Status.REFUSED:
        raise NotDelivered(message.reason)
    return message


def _check_text(text: str) -> None:
    if is_blank(text):
        raise EmptyMessage
    if len(text) > LONGEST:
        raise MessageTooLong(
            f"the text has {len(text)} characters, and {LONGEST} is the most; say it shorter"
        )


def _deliver(turn: Turn, letter: Letter) -> WorkerMessage:
    """The row of the log; a refused one when the recipient's side refused it. Raises HopLimit and PerTurnLimit."""
    check_chain(turn.request)
    check_turn(turn.request)
    try:
        with turn.work.step() as call:
            return send(call=call, letter=letter)
    except NotDelivered as refusal:
        with turn.work.step() as call:
            return log_refused(call=call, letter=letter, reason=refusal.words)


def offer_messages(turn: Turn) -> Iterator[Tool]:
    """The tool, to workers of kinds that send; built anew each turn, since the roster changes."""
    kind = registered_kinds().get(turn.seat.kind)
    if isinstance(kind, WorkerKind) and kind.sends_messages:
        yield Tool(NAME, _description(turn), MessageInput, message_worker)


def _description(turn: Turn) -> str:
    lines = [ABOUT, "Workers that can be messaged now:"]
    count = 0
    owner, organization = turn.session.owner, turn.session.organization
    for seat in recipients_of(organization=organization, owner=owner, sender=turn.seat):
        count += 1
        if count <= LISTED:
            about = " ".join(seat.description[: SHOWN * 2].split())[:SHOWN]
            lines.append(f"- {seat.seat_id}: {about}" if about else f"- {seat.seat_id}")
    if count > LISTED:
        lines.append(f"… and {count - LISTED} more")
    return "\n".join(lines) if count else f"{lines[0]}\nNobody can be messaged now."
