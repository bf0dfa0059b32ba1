"""Telling an agent that lives outside of what would wake a seat: one item each. See docs/external-seats.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings

from boards.models import Task
from boards.selectors.ready import is_ready
from messaging.external.models import OutsideItem
from messaging.external.payloads import fitted, message_payload, post_payload, row_payload
from messaging.external.selectors.standing import access_outside
from messaging.inbox.receipts import Type
from messaging.inbox.services.sending import Letter, send_message
from messaging.inbox.services.system import system_hand
from workforce import clock
from workforce.kinds import Call
from workforce.kinds.messages import MessageDelivery
from workforce.kinds.posts import PostDelivery
from workforce.kinds.tasks import TaskReady
from workforce.models import Item
from workforce.services.items import append_item
from workforce.turns.running import check_worker

About = OutsideItem.About
#: The lanes of the items.
POSTS, MESSAGES, ROWS, DELEGATED, TASKS = "mailbox", "worker-message", "board", "coordinator", "task"


@dataclass(frozen=True, slots=True)
class News:
    """What the agent is to be told."""

    about: About
    subject_id: str
    #: What makes it the same news.
    subject: str
    type: Type
    topic: str
    payload: dict[str, Any]
    line: str
    sender: str = ""


def tell_post(call: Call) -> dict[str, Any]:
    """Tell of a post of a mailbox; of a routed one as a request, for an answer is owed."""
    post: PostDelivery = call.input
    return tell(
        call,
        News(
            about=About.ROUTED if post.routed else About.POST,
            subject_id=post.post_id,
            subject=f"post:{post.post_id}",
            type=Type.REQUEST if post.routed else Type.MESSAGE,
            topic=POSTS,
            payload=post_payload(post),
            line=post.line(),
        ),
    )


def tell_message(call: Call) -> dict[str, Any]:
    """Tell of a message of another worker."""
    message: MessageDelivery = call.input
    return tell(
        call,
        News(
            about=About.MESSAGE,
            subject_id=message.message_id,
            subject=f"message:{message.message_id}",
            type=Type.MESSAGE,
            topic=MESSAGES,
            payload=message_payload(message),
            line=message.line(),
            sender=message.sender,
        ),
    )


def tell_row(call: Call) -> dict[str, Any]:
    """Tell of a row that is ready for the seat, unless somebody has taken it since."""
    ready: TaskReady = call.input
    rows = Task.objects.select_related("board").filter(
        board__organization_id=call.session.organization_id, board__board_id=ready.board_id
    )
    task = rows.filter(task_id=ready.task_id).first()
    if task is None or not is_ready(task, clock.now()):
        return {"told": False, "reason": "somebody took the row, or it ended"}
    seat, _ = check_worker(call.session)
    payload = row_payload(board=ready.board_id, worker=seat.seat_id, assignee=task.assignee, row=_shown(task))
    return tell(
        call,
        News(
            about=About.ROW,
            subject_id=task.task_id,
            subject=f"row:{task.pk}:{ready.since}",
            type=Type.REQUEST,
            topic=ROWS,
            payload=payload,
            line=f"Ready on {ready.board_id}: {task.title or task.goal}",
        ),
    )


def _shown(task: Task) -> dict[str, Any]:
    return {
        "taskId": task.task_id,
        "title": task.title,
        "goal": task.goal,
        "context": task.context,
        "input": task.input,
        "feedback": task.feedback,
        "labels": task.labels,
        "priority": task.priority,
        "attempts": task.attempts,
    }


def tell(call: Call, news: News) -> dict[str, Any]:
    """Send the item with what it is about, in the transaction of the run; once, however often the run is retried."""
    outside = access_outside(call.session)
    seat = call.session.seat
    assert seat is not None  # access_outside saw to it
    told = OutsideItem.objects.filter(seat=seat, subject=news.subject).first()
    if told is not None:
        return {"told": True, "messageId": str(told.message_id)}
    letter = Letter(
        type=news.type,
        topic=news.topic,
        payload=fitted(news.payload, settings.INBOX_MAX_PAYLOAD),
        to=[outside.actor.passname],
        allow_duplicate=True,
        # What was said here is shown to whom it was said to.
        allow_secret=True,
    )
    sent = send_message(hand=system_hand(outside.inbox), letter=letter)
    OutsideItem.objects.create(
        message=sent.message,
        seat=seat,
        session=call.session,
        about=news.about,
        subject=news.subject,
        subject_id=news.subject_id,
        sender=news.sender,
        chain_uid=call.request.chain_uid,
    )
    append_item(
        session=call.session,
        request=call.request,
        type=Item.Type.MESSAGE,
        data={"role": "user", "text": news.line},
    )
    return {"told": True, "messageId": str(sent.message.pk)}
