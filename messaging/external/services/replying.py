"""An agent's reply to an item is its seat's answer. See docs/external-seats.md, "Answers"."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import transaction

from messaging.errors import MessageTooLong, NotDelivered
from messaging.external.errors import NoAnswerText, NothingToAnswer
from messaging.external.models import OutsideItem, OutsideReply
from messaging.external.payloads import answer_in
from messaging.external.services.delegated import HELD, POST, answer_post, settle_task
from messaging.external.services.refusing import refuse_reply, settle_reply
from messaging.inbox.hands import Hand
from messaging.inbox.models import Message, Receipt
from messaging.limits import LONGEST
from messaging.selectors.recipients import access_recipient
from messaging.selectors.sent import access_answered
from messaging.services.sending import Letter, log_refused, send
from workforce.dispatch.handoffs import hand_off
from workforce.dispatch.start import nudge_on_commit
from workforce.errors import DomainError, ExternalDispatcher
from workforce.ids import new_uuid
from workforce.kinds import Call, ClosedModel, registered_kinds
from workforce.models import Item, Request, Session
from workforce.services.items import append_item
from workforce.services.keys import SYSTEM_PASSNAME
from workforce.texts import is_blank
from workforce.turns.fences import clean
from workforce.turns.running import check_worker

#: The internal entry that carries a reply on.
CARRY = "onInboxReply"
About = OutsideItem.About


class ReplyInput(ClosedModel):
    """A reply to an item: its message's id."""

    reply: str


def hear_sent(message: Message, hand: Hand) -> None:
    """Owe the seat the run that carries the reply on, in the transaction of the send.

    A reply is one to an item, by whom the item was sent to; any other message is none of this.
    """
    parent = message.replying_to
    if parent is None or parent.sender.passname != SYSTEM_PASSNAME:
        return
    item = OutsideItem.objects.select_related("session").filter(message=parent).first()
    mine = Receipt.objects.filter(message=parent, recipient=hand.actor)
    if item is None or not mine.exists():
        return
    reply = OutsideReply(message=message, item=item, request_uid=new_uuid())
    reply.save(force_insert=True)
    if item.session is None:
        refuse_reply(reply, NothingToAnswer("the conversation that this was about is not there any more"))
        return
    if settings.DISPATCH != "enabled":
        refuse_reply(reply, ExternalDispatcher())
        return
    run = Request(
        uid=reply.request_uid,
        session=item.session,
        action=CARRY,
        source=Request.Source.DISPATCH,
        serial=True,
        passname=hand.actor.passname,
        input={"reply": str(message.pk)},
        chain_uid=item.chain_uid,
        dispatch_key=f"reply:{message.pk}",
    )
    run.save(force_insert=True)
    nudge_on_commit([run])


def carry_reply(call: Call) -> dict[str, Any]:
    """Hand the reply's text on to where the item came from. What refuses it is told to the actor, and ends it."""
    value: ReplyInput = call.input
    reply = (
        OutsideReply.objects.select_related("item__seat", "message__sender", "message__inbox")
        .filter(pk=uuid.UUID(value.reply), settled_at=None)
        .first()
    )
    if reply is None:
        return {"settled": True}
    try:
        with transaction.atomic():
            return _carry(call, reply)
    except DomainError as refusal:
        call.owed.clear()
        return {"refused": refuse_reply(reply, refusal)}


def _carry(call: Call, reply: OutsideReply) -> dict[str, Any]:
    check_worker(call.session)
    subject = reply.item.subject
    if subject.startswith(HELD):
        return settle_task(call, reply)
    text = answer_in(reply.message.payload)
    if text is None or is_blank(text):
        raise NoAnswerText("your reply has no text: send a string, or an object with the key 'text'")
    text = clean(text)
    append_item(
        session=call.session,
        request=call.request,
        type=Item.Type.MESSAGE,
        data={"role": "assistant", "text": text, "author": reply.item.seat.seat_id},
    )
    if subject.startswith(POST):
        return answer_post(call, reply, text)
    if reply.item.about == About.MESSAGE:
        return _answer_worker(call, reply, text)
    owed = _owed_to_mailbox(call, reply, text)
    call.owed.append(owed)
    OutsideReply.objects.filter(pk=reply.pk).update(request_uid=owed.uid)
    return {"handedTo": owed.session.address}


def _answer_worker(call: Call, reply: OutsideReply, text: str) -> dict[str, Any]:
    """Send the text as the worker message's answer, as ``messageWorker`` with ``replyTo`` would be sent."""
    if len(text) > LONGEST:
        raise MessageTooLong(
            f"the text has {len(text)} characters, and {LONGEST} is the most; say it shorter"
        )
    session, seat, item = call.session, reply.item.seat, reply.item
    recipient = access_recipient(
        organization=session.organization, owner=session.owner, sender=seat, to=item.sender
    )
    answered = access_answered(place=session, seat=seat, to=item.sender, message_id=item.subject_id)
    letter = Letter(sender=seat, recipient=recipient, text=text, answers=answered, key=f"outside:{reply.pk}")
    try:
        with transaction.atomic():
            message = send(call=call, letter=letter)
    except NotDelivered as refusal:
        log_refused(call=call, letter=letter, reason=refusal.words)
        return {"refused": refuse_reply(reply, refusal)}
    settle_reply(reply)
    return {"sent": message.message_id}


def _owed_to_mailbox(call: Call, reply: OutsideReply, text: str) -> Request:
    """The line as the mailbox takes it; the server sets the author, and the mailbox judges the rest."""
    mailbox, item = call.session.parent, reply.item
    if mailbox is None:
        raise NothingToAnswer("the mailbox is not there any more")
    entry, input = "seatPost", {"body": text, "author": item.seat.seat_id}
    if item.about == About.ROUTED:
        entry, input = "answer", {**input, "postId": item.subject_id}
    _check_takes(mailbox, entry)
    return hand_off(
        of=call.request,
        session_id=mailbox.pk,
        action=entry,
        input=input,
        key=f"outside:{reply.pk}",
        passname=reply.message.sender.passname,
    )


def _check_takes(mailbox: Session, entry: str) -> None:
    kind = registered_kinds().get(mailbox.kind)
    if kind is None or entry not in kind.actions:
        raise NothingToAnswer(f"'{mailbox.address}' takes no lines of seats")
