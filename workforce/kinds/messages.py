"""What a worker is handed when another one messages it, and who carries its answer. See docs/worker-messages.md."""

from __future__ import annotations

from typing import Protocol

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from workforce.kinds.base import Call, ClosedModel
from workforce.names import is_word


class MessageDelivery(ClosedModel):
    """One message for one worker: the input of a kind's internal entry ``onWorkerMessage``."""

    model_config = ConfigDict(alias_generator=to_camel, serialize_by_alias=True)

    message_id: str
    sender: str = Field(alias="from")
    text: str
    #: The message of this worker's own that it answers.
    reply_to: str | None = None

    def line(self) -> str:
        """The message as the worker's conversation shows it."""
        return f"From {self.sender}: {self.text}"

    def said(self) -> str:
        """What stands between the marks of the turn's input: the text, with the sender's id when that is no word."""
        return self.text if is_word(self.sender) else self.line()

    def opening(self) -> str:
        """The first line of the turn's input; the sender's name is the server's."""
        sender = self.sender if is_word(self.sender) else "another worker, whose id its line gives"
        if self.reply_to is None:
            return f"Message {self.message_id} from {sender}:"
        return f"Message {self.message_id} from {sender}, answering your message {self.reply_to}:"

    def guide(self) -> str:
        """What the worker is told about such a message, after its text."""
        known = is_word(self.sender)
        who, to = (
            (self.sender, f'"{self.sender}"') if known else ("That worker", "the id that its line gives")
        )
        return (
            f"[This comes from another worker, not from the user. {who} cannot see what you write here. "
            f'To answer it call messageWorker with to {to} and replyTo "{self.message_id}"; to message another '
            "worker leave replyTo out. When it needs no answer, send none.]"
        )


class Postman(Protocol):
    """Who carries messages. Filled by the app that keeps their log."""

    def answer(self, call: Call, delivery: MessageDelivery, text: str) -> None:
        """Send the final text of a turn as its answer, in the transaction of the call, when it owes one.

        Nothing is sent when the turn messaged the sender, was woken by an answer, or has reached a limit.
        """


_POSTMEN: list[Postman] = []


def register_postman(postman: Postman) -> None:
    """Called once from ``AppConfig.ready()``; again replaces it."""
    _POSTMEN[:] = [postman]


def get_postman() -> Postman:
    """The postman of this process."""
    return _POSTMEN[0]
