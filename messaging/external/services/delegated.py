"""What a worker with delegates hands to an agent that lives outside: posts and tasks. See docs/external-seats.md."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from django.db import transaction

from boards.drains.words import fit_error
from boards.errors import LostClaim
from boards.hands import Hand
from boards.limits import WORDS, check_value
from boards.models import Board, Task
from boards.services.settling import complete_task, fail_task, park_task
from boards.tickets import Ticket, read_ticket, write_ticket
from messaging.delegation.models import HandOff
from messaging.external.errors import NoAnswerText, NothingToAnswer
from messaging.external.models import OutsideItem, OutsideReply
from messaging.external.payloads import SETTLING, delegated_payload, settlement_in, task_payload
from messaging.external.selectors.standing import access_answering
from messaging.external.services.refusing import settle_reply
from messaging.external.services.telling import DELEGATED, TASKS, About, News, tell
from messaging.inbox.receipts import Type
from messaging.inbox.services.closing import close_message
from messaging.inbox.services.system import system_hand
from workforce.errors import DomainError, InvalidInput
from workforce.kinds import Call, Failure, Work
from workforce.kinds.delegated import DelegateAnswer, DelegatedPost
from workforce.kinds.tasks import TaskDelivery, get_ledger
from workforce.models import Item, Request
from workforce.refusals import listed
from workforce.services.delegating import answer_request
from workforce.services.items import append_item
from workforce.texts import is_blank
from workforce.turns.fences import clean
from workforce.turns.limits import LONGEST_ANSWER

#: What the subjects of such items begin with; the hand-off's token, or the claim of the row, follows.
POST, HELD = "delegated:", "held:"
#: The changes by which a row leaves the hands of the agent that holds it.
_LEAVING = frozenset({"completed", "errored", "retried", "parked", "cancelled", "released", "reclaimed"})


def tell_delegated(call: Call) -> Failure | dict[str, Any]:
    """Tell of a post of a coordinator, which hears at once when the agent cannot be told."""
    post: DelegatedPost = call.input
    news = News(
        about=About.ROUTED,
        subject_id=post.post_id,
        subject=f"{POST}{post.token}",
        type=Type.REQUEST,
        topic=DELEGATED,
        payload=delegated_payload(post),
        line=post.line(),
    )
    try:
        with transaction.atomic():
            access_answering(call.session)
            return tell(call, news)
    except DomainError as refusal:
        conversation = call.session.parent
        if conversation is not None:
            answer = DelegateAnswer(token=post.token, error=f"{refusal.code}: {refusal.words}")
            call.owed.append(answer_request(conversation=conversation, answer=answer, of=call.request))
        return Failure(refusal)


def answer_post(call: Call, reply: OutsideReply, text: str) -> dict[str, Any]:
    """Hand the reply to the coordinator's conversation, which takes the first. Raises NothingToAnswer, InvalidInput."""
    token = reply.item.subject.removeprefix(POST)
    conversation = call.session.parent
    waiting = HandOff.objects.filter(token=token, status=HandOff.Status.WAITING)
    if conversation is None or not waiting.exists():
        raise NothingToAnswer("this post waits for no answer of yours; it was answered, or given up")
    if len(text) > LONGEST_ANSWER:
        raise InvalidInput.at("text", f"has {len(text)} characters, and {LONGEST_ANSWER} is the most")
    answer = DelegateAnswer(token=token, text=text)
    owed = answer_request(conversation=conversation, answer=answer, of=call.request)
    if Request.objects.filter(dispatch_key=owed.dispatch_key).exists():
        raise NothingToAnswer("this post has its answer already")
    call.owed.append(owed)
    settle_reply(reply)
    return {"handedTo": conversation.address}


def take_task(work: Work) -> None:
    """Hold the row while the agent is told of it."""
    get_ledger().hold(work, work.input)


def tell_task(call: Call) -> Failure | dict[str, Any]:
    """Tell of a row that was claimed for the seat, and hold it until the agent replies; fail it when that cannot be."""
    delivery: TaskDelivery = call.input
    # First: the row is locked before the inbox, as by whoever changes the row.
    if not get_ledger().keep(delivery):
        return {"told": False, "reason": "the row was settled, or taken back"}
    try:
        with transaction.atomic():
            access_answering(call.session)
            return tell(call, _news(call, delivery))
    except DomainError as refusal:
        get_ledger().fail(call, delivery, f"{refusal.code}: {refusal.words}")
        return Failure(refusal)


def _news(call: Call, delivery: TaskDelivery) -> News:
    ticket, conversation = read_ticket(delivery.ticket), call.session.parent
    assert ticket is not None  # it holds the row
    filer = conversation.seat.seat_id if conversation is not None and conversation.seat else ""
    return News(
        about=About.ROW,
        subject_id=delivery.task_id,
        subject=f"{HELD}{ticket.task}:{ticket.claim_number}",
        type=Type.REQUEST,
        topic=TASKS,
        payload=task_payload(delivery, filer),
        line=f"Task {delivery.task_id}: {delivery.title or delivery.goal}",
    )


def settle_task(call: Call, reply: OutsideReply) -> dict[str, Any]:
    """Settle the row by the reply. The same reply again is done already.

    Raises NoAnswerText for a reply that says nothing clear, NothingToAnswer for a row that the agent holds no more,
    InvalidInput for what a row cannot keep.
    """
    verb, value = _said_in(reply)
    seat = reply.item.seat.seat_id
    by = Hand(call.session.owner.username, passname=reply.message.sender.passname, seat=seat)
    task = _settle(reply.item, verb, value, by)
    landed = OutsideReply.objects.filter(item=reply.item, settled_at__isnull=False, refused="")
    if not landed.exists():  # else it said the same before
        said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        data = {"role": "assistant", "text": said, "author": seat}
        append_item(session=call.session, request=call.request, type=Item.Type.MESSAGE, data=data)
    settle_reply(reply)
    return {"taskId": task.task_id, "settled": verb}


def _said_in(reply: OutsideReply) -> tuple[str, Any]:
    verb, value = settlement_in(reply.message.payload) or ("", "")
    value = clean(value) if isinstance(value, str) else value
    if not verb or (isinstance(value, str) and is_blank(value)):
        raise NoAnswerText(
            f"your reply settles nothing: send a text, or an object with one of the keys {listed(SETTLING)}"
        )
    return verb, value


def hear_changed(board: Board, task: Task, kind: str, by: Hand) -> None:
    """A row of a conversation's board left its holder's hands: the agent that was told of it sees that on the item."""
    if kind not in _LEAVING or not task.run:
        return
    told = OutsideItem.objects.filter(seat__seat_id=task.assignee, subject=subject_of(task))
    item = told.filter(seat__organization=board.organization_id).select_related("message__inbox").first()
    if item is not None:
        with suppress(DomainError):  # that it is closed is a courtesy
            close_message(hand=system_hand(item.message.inbox), message_id=item.message_id)


def subject_of(task: Task) -> str:
    """The subject of the item that tells of the row's present, or last, claim."""
    return f"{HELD}{task.pk}:{task.claim_number}"


def _settle(item: OutsideItem, verb: str, value: Any, by: Hand) -> Task:
    """Settle the claim that the item told of, which need not be the row's last."""
    key, _, number = item.subject.removeprefix(HELD).partition(":")
    task = Task.objects.select_related("board").filter(pk=int(key)).first()
    if task is None:
        raise NothingToAnswer("the task is not there any more")
    ticket = write_ticket(Ticket(board=task.board_id, task=task.pk, claim_number=int(number)))
    settle = _SETTLE[verb](value)
    try:
        return settle(board=task.board, task_id=task.task_id, by=by, ticket=ticket)
    except LostClaim:
        status = Task.objects.values_list("status", flat=True).get(pk=task.pk)
        raise NothingToAnswer(
            f"'{task.task_id}' is {status} and waits for no reply to this message; it counts for nothing"
        ) from None


def _completing(output: Any) -> Callable[..., Task]:
    try:
        return partial(complete_task, output=check_value(output))
    except ValueError as fault:
        raise InvalidInput.at("output", str(fault)) from None


def _failing(error: str) -> Callable[..., Task]:
    return partial(fail_task, error=fit_error(error))


def _parking(question: str) -> Callable[..., Task]:
    if len(question) > WORDS:
        raise InvalidInput.at("question", f"has {len(question)} characters, and {WORDS} is the most")
    return partial(park_task, question=question)


_SETTLE: dict[str, Callable[[Any], Callable[..., Task]]] = {
    "complete": _completing,
    "fail": _failing,
    "park": _parking,
}
