"""Delegates' answers: each lands once, and the last of a round closes it. See docs/delegation.md."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef

from messaging.delegation.errors import UnknownToken
from messaging.delegation.models import HandOff, Round
from messaging.delegation.selectors.posts import post_of
from messaging.delegation.services.handing import say_nobody
from workforce import clock
from workforce.dispatch.start import nudge_on_commit
from workforce.ids import new_uuid
from workforce.kinds import Call, Failure, worker_kinds
from workforce.kinds.delegated import DelegateAnswer
from workforce.models import Item, Request, Session
from workforce.services.delegating import answer_request
from workforce.services.items import append_item
from workforce.workers.agent import answer_to_mailbox

#: The internal entry of a coordinator that sends the answers of a round out again.
GO_ON = "onRound"
BATCH = 500
Status = HandOff.Status


def land_answer(call: Call) -> Failure | dict[str, Any]:
    """Show a delegate's answer under its id, in the locked conversation, and close the round when it was the last.

    When that was the last that could answer a post that a mailbox routed here, and nobody did, the run fails.
    Raises UnknownToken for a token of another conversation, and for one that was used.
    """
    answer: DelegateAnswer = call.input
    hand_off = _waiting(call.session, answer.token)
    if hand_off is None:
        raise UnknownToken(
            "nothing in this conversation waits for this answer; it was answered, or never asked"
        )
    worker, row = hand_off.seat.seat_id, hand_off.round
    hand_off.status = Status.ANSWERED if answer.text else Status.FAILED
    hand_off.text, hand_off.settled_at = answer.text or answer.error, clock.now()
    hand_off.save(update_fields=["status", "text", "settled_at"])
    if answer.text:
        _show(call, Item.Type.MESSAGE, {"role": "worker", "text": answer.text, "author": worker})
        call.request.counted = Request.Counted.LINE
        _answer_mailbox(call, row, answer.text)
    else:
        words = f"'{worker}' gave no answer: {answer.error}"
        _show(call, Item.Type.ERROR, {"code": "delegate-failed", "message": words, "author": worker})
    if not row.hand_offs.filter(status=Status.WAITING).exists():
        call.owed.extend(close_round(row))
        if not answer.text and _is_unanswered(row):
            nobody = say_nobody(call, post_of(row), "every delegate that had it failed")
            assert nobody is not None  # the mailbox waits for it
            return nobody
    return {"worker": worker, "answered": bool(answer.text)}


def close_round(row: Round) -> list[Request]:
    """Close it once, in the transaction that holds the conversation; returns the run that sends its answers on."""
    closed = Round.objects.filter(pk=row.pk, closed_at=None).update(closed_at=clock.now())
    answered = row.hand_offs.filter(status=Status.ANSWERED).exists()
    if not closed or row.deadline is None or not answered:
        return []
    return [
        Request(
            uid=new_uuid(),
            session_id=row.session_id,
            action=GO_ON,
            source=Request.Source.DISPATCH,
            serial=True,
            input={"postId": str(row.post_uid), "round": row.number + 1},
            parent_uid=row.post_uid,
            chain_uid=_chain_of(row),
            dispatch_key=f"round:{row.pk}",
        )
    ]


def close_late_rounds() -> int:
    """The sweep: rounds whose time is over go on with the answers that are there. Safe to run twice and at once."""
    late = Round.objects.filter(closed_at=None, deadline__lte=clock.now()).order_by("deadline")
    closed = 0
    for row in late[:BATCH]:
        with transaction.atomic():
            Session.objects.select_for_update(no_key=True).filter(pk=row.session_id).first()
            owed = close_round(row)
            Request.objects.bulk_create(owed)
            nudge_on_commit(owed)
            closed += 1
    return closed


def give_up_lost() -> int:
    """The sweep: a delegate whose run ended without a word (aborted, abandoned, broken, deleted) has failed."""
    run = Request.objects.filter(uid=OuterRef("request_uid"))
    over = run.exclude(status__in=Request.UNFINISHED)
    later = [name for name, kind in worker_kinds().items() if kind.answers_later]
    over = over.exclude(
        status=Request.Status.COMPLETED, session__kind__in=later
    )  # their answer is still to come
    lost = HandOff.objects.filter(Exists(over) | ~Exists(run), status=Status.WAITING)
    rows = lost.select_related("round__session").order_by("token")[:BATCH]
    return sum(_give_up(hand_off) for hand_off in rows)


def _give_up(hand_off: HandOff) -> int:
    run = Request.objects.filter(uid=hand_off.request_uid).first()
    if run is None:
        words = "its conversation was deleted"
        run = Request(uid=hand_off.request_uid, chain_uid=_chain_of(hand_off.round))
    else:
        words = f"its run ended as {(run.error or {}).get('code', run.status)}"
    answer = DelegateAnswer(token=str(hand_off.token), error=words)
    owed = answer_request(conversation=hand_off.round.session, answer=answer, of=run)
    if Request.objects.filter(dispatch_key=owed.dispatch_key).exists():
        return 0  # it is on its way
    with transaction.atomic():
        Request.objects.bulk_create([owed], ignore_conflicts=True)
        nudge_on_commit([owed])
    return 1


def _chain_of(row: Round) -> uuid.UUID | None:
    """The chain of the post."""
    post = Request.objects.filter(uid=row.post_uid).first()
    return post.chain_uid if post is not None else row.post_uid


def _waiting(session: Session, token: str) -> HandOff | None:
    try:
        key = uuid.UUID(token)
    except ValueError:
        return None
    rows = HandOff.objects.filter(token=key, round__session=session, status=Status.WAITING)
    return rows.select_related("round", "seat").first()


def _is_unanswered(row: Round) -> bool:
    """Whether a mailbox routed the post here and no answer to it was handed in.

    A further round only follows an answer, so what nobody of the first one answered is answered by nobody.
    """
    # A delegate's or the coordinator's own, and what its model handed in itself with the tool.
    keys = [f"answer:{row.post_uid}", f"answer:{row.post_uid}:1"]
    return bool(row.mailbox_post) and not Request.objects.filter(dispatch_key__in=keys).exists()


def _answer_mailbox(call: Call, row: Round, text: str) -> None:
    """The first answer to a post that the mailbox routed here is the coordinator's answer there."""
    if not row.mailbox_post:
        return
    owed = answer_to_mailbox(call, row.mailbox_post, text, turn=row.post_uid)
    if not Request.objects.filter(dispatch_key=owed.dispatch_key).exists():
        call.owed.append(owed)


def _show(call: Call, type: Item.Type, data: dict[str, Any]) -> None:
    append_item(session=call.session, request=call.request, type=type, data=data)
