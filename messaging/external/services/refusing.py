"""What became of an agent's reply: settled, or refused and told. See docs/external-seats.md, "Refusals"."""

from __future__ import annotations

import uuid

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from messaging.external.models import OutsideItem, OutsideReply
from messaging.external.payloads import refusal_payload
from messaging.inbox.receipts import Type
from messaging.inbox.services.sending import Letter, send_message
from messaging.inbox.services.system import system_hand
from workforce import clock
from workforce.errors import DomainError
from workforce.models import Request

#: The dispatch keys of the runs that land replies begin with this.
LANDING = "outside"
BATCH = 500
log = structlog.get_logger(__name__)


def settle_reply(reply: OutsideReply) -> None:
    """The reply landed."""
    OutsideReply.objects.filter(pk=reply.pk, settled_at=None).update(settled_at=clock.now())


def refuse_reply(reply: OutsideReply, refusal: DomainError) -> str:
    """Tell the actor why its reply did not land, as an ``info`` item, once; returns the code.

    In the caller's transaction. An actor that cannot be told any more is not.
    """
    return _refuse(reply, refusal.code, refusal.words)


def hear_ended(request: Request) -> None:
    """A run that was to land a reply has ended; in its transaction."""
    uid = uuid.UUID(str(request.dispatch_key).partition(":")[2])
    reply = _unsettled().filter(pk=uid).first()
    if reply is not None:
        _conclude(reply, request)


def settle_lost() -> int:
    """The sweep: replies whose run ended without a word (broken, abandoned, gone). Safe to run twice and at once."""
    under_way = Request.objects.filter(uid=OuterRef("request_uid"), status__in=Request.UNFINISHED)
    lost = _unsettled().filter(~Exists(under_way)).order_by("at")[:BATCH]
    for reply in lost:
        with transaction.atomic():
            _conclude(reply, Request.objects.filter(uid=reply.request_uid).first())
    return len(lost)


def _unsettled() -> QuerySet[OutsideReply]:
    replies = OutsideReply.objects.filter(settled_at__isnull=True)
    return replies.select_related("item__seat", "message__sender", "message__inbox__organization")


def _conclude(reply: OutsideReply, run: Request | None) -> None:
    if run is not None and run.status == Request.Status.COMPLETED:
        settle_reply(reply)
        return
    error = (run.error if run is not None else None) or {}
    ended = run.status if run is not None else "gone"
    words = error.get("message") or f"the run that was to hand it on ended as {ended}"
    _refuse(reply, str(error.get("code") or ended), str(words))


def _refuse(reply: OutsideReply, code: str, words: str) -> str:
    open_still = OutsideReply.objects.filter(pk=reply.pk, settled_at=None)
    if not open_still.update(settled_at=clock.now(), refused=code[:64]):
        return code
    message = reply.message
    letter = Letter(
        type=Type.INFO,
        payload=refusal_payload(code, words, _about(reply.item)),
        replying_to=message.pk,
        to=[message.sender.passname],
        allow_duplicate=True,
        allow_secret=True,
    )
    try:
        with transaction.atomic():
            send_message(hand=system_hand(message.inbox), letter=letter)
    except DomainError as refusal:
        log.warning("outside_refusal_untold", reply=str(reply.pk), code=code, reason=refusal.code)
    return code


def _about(item: OutsideItem) -> dict[str, str]:
    return {
        "item": str(item.message_id),
        "kind": item.about,
        "id": item.subject_id,
        "seat": item.seat.seat_id,
    }
