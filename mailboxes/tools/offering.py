"""What a turn is offered: the mailbox tools that the seat's file lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mailboxes.services.handing import access_mailbox, hand_in
from mailboxes.tools.inputs import FileTask, PostToMailbox
from workforce.kinds.posts import PostDelivery
from workforce.models import Session
from workforce.toolsets import Tool, Turn, lists_tool

TOOLSET = "mailboxes"
#: The note of a turn that holds the ids of the posts it answered.
ANSWERED = "answered"
_HANDED_OVER = "handed over, not written yet: the mailbox writes it under your id, or refuses it there"
_ANSWER = "handed over as your answer to the post that woke you; the mailbox writes it once"
_ANSWERED = "nothing was posted: your answer to the post in this mailbox was handed over already in this turn"


def offer(turn: Turn) -> Iterable[Tool]:
    """The tools of mailboxes that the seat's file names under ``tools``."""
    return [tool for tool in TOOLS if lists_tool(turn, tool.name)]


def post_to_mailbox(turn: Turn, value: PostToMailbox) -> dict[str, str]:
    """Hand a line to a mailbox. On the mailbox that routed the turn's post to the seat, the first is the answer."""
    mailbox = access_mailbox(sender=turn.session, address=value.mailbox, entry="seatPost")
    line = {"body": value.body, "author": turn.seat.seat_id}
    post = _post_to_answer(turn, mailbox)
    if post is None:
        return _hand_in(turn, mailbox, "seatPost", line, _HANDED_OVER)
    answered: set[str] = turn.notes.setdefault(ANSWERED, set())
    if post.post_id in answered:
        return {"handedTo": mailbox.address, "note": _ANSWERED}
    told = _hand_in(turn, mailbox, "answer", {"postId": post.post_id, **line}, _ANSWER)
    answered.add(post.post_id)
    return told


def file_task(turn: Turn, value: FileTask) -> dict[str, str]:
    """Hand a row to a board of a mailbox, with the seat as its author."""
    mailbox = access_mailbox(sender=turn.session, address=value.mailbox, entry="fileTask")
    row = {"board": value.board, "goal": value.goal, "author": turn.seat.seat_id}
    if value.title is not None:
        row["title"] = value.title
    return _hand_in(turn, mailbox, "fileTask", row, _HANDED_OVER)


def _post_to_answer(turn: Turn, mailbox: Session) -> PostDelivery | None:
    """The post that this mailbox routed to the seat, and that this turn is about."""
    post = turn.about.get("post")
    routed = isinstance(post, PostDelivery) and bool(post.routed) and post.mailbox_id == mailbox.address
    return post if routed else None


def _hand_in(turn: Turn, mailbox: Session, entry: str, input: dict[str, Any], note: str) -> dict[str, str]:
    with turn.work.step() as call:
        hand_in(call=call, mailbox=mailbox, entry=entry, input=input, key=turn.key(entry))
    return {"handedTo": mailbox.address, "note": note}


TOOLS = (
    Tool(
        name="post-to-mailbox",
        description=(
            "Write a line to a mailbox that you are a member of, under your own id. "
            "The result says that it was handed over, not that it landed."
        ),
        input=PostToMailbox,
        run=post_to_mailbox,
    ),
    Tool(
        name="file-task",
        description=(
            "File a task on a board that a mailbox holds, in your own name. "
            "The result says that it was handed over, not that it is on the board."
        ),
        input=FileTask,
        run=file_task,
    ),
)
