"""Handing a post to delegates: record, waiting rows and runs are one transaction. See docs/delegation.md."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings as django_settings

from messaging.delegation.errors import NobodyTookIt
from messaging.delegation.models import DelegateList, HandOff, Round
from messaging.delegation.modes import By, Decision, next_in_turn
from messaging.delegation.selectors.posts import Post, find_round, recent_lines
from workforce import clock
from workforce.dispatch.handoffs import hand_off
from workforce.errors import ExternalDispatcher
from workforce.ids import new_session_id, new_uuid
from workforce.kinds import Call, Failure
from workforce.kinds.delegated import HEAR, DelegatedPost
from workforce.kinds.posts import SaidLine
from workforce.models import Item, Request, Seat, Session
from workforce.services.items import append_item

#: The component of the items that say where a post went.
ROUTE = "coordinator-route"
#: What a delegate's conversation below a coordinator's is about.
TOPIC = "delegated"
#: So many rounds of one conversation may wait at once to go out again; the answers of others land and go no further.
OPEN_ROUNDS = 50
NOBODY = "Nobody took this post: "


def hand_over(
    *,
    call: Call,
    post: Post,
    by: By,
    seats: Sequence[Seat],
    rounds: int,
    number: int = 0,
    answers: Sequence[SaidLine] = (),
) -> Round:
    """Owe each seat its run for the post, in its own session below this conversation; each once in a round.

    In the transaction of the call, whose session is locked. Raises ExternalDispatcher where nothing may be dispatched.
    """
    if django_settings.DISPATCH != "enabled":
        raise ExternalDispatcher
    row = find_round(call.session, post.uid, number) or _open(call.session, post, by, number, rounds)
    there = set(row.hand_offs.values_list("seat_id", flat=True))
    recent = recent_lines(call.session, post.uid) if number == 0 else []
    for seat in seats:
        if seat.pk not in there:
            others = [line for line in answers if line["from"] != seat.seat_id]
            _owe(call, row, seat, recent, others)
    return row


def record(
    *,
    call: Call,
    post: Post,
    policy: str,
    decision: Decision,
    skipped: Mapping[str, str] | None = None,
    number: int = 0,
) -> None:
    """Show one decision: who was handed the post, who was passed over and why, and what it was decided by."""
    handed = [{"worker": worker, "outcome": "handed"} for worker in decision.workers]
    passed = [
        {"worker": worker, "outcome": "skipped", "reason": reason}
        for worker, reason in (skipped or {}).items()
    ]
    shown: dict[str, Any] = {
        "postId": str(post.uid),
        "round": number,
        "policy": policy,
        "by": str(decision.by),
        "delegates": [*handed, *passed],
    }
    if not decision.workers:
        shown["none"] = True
    if decision.fit is not None:
        shown["fit"] = decision.fit
    if decision.reason:
        shown["reason"] = decision.reason
    append_item(
        session=call.session, request=call.request, type=Item.Type.COMPONENT, component=ROUTE, data=shown
    )


def say_nobody(call: Call, post: Post, reason: str) -> Failure | None:
    """Tell whoever posted that nobody took it, under no worker's id.

    Returns how the run ends when a mailbox waits for the coordinator's answer: it failed, and the post has none.
    """
    data = {"role": "assistant", "text": f"{NOBODY}{reason}", "author": ""}
    append_item(session=call.session, request=call.request, type=Item.Type.MESSAGE, data=data)
    return Failure(NobodyTookIt(f"nobody took the post: {reason}")) if post.mailbox_post else None


def claim_turn(session: Session, delegates: Sequence[str], reachable: Iterable[str]) -> str | None:
    """Take the next delegate's turn of a round-robin; None when nobody can be reached.

    Decided on one locked row: of two claims at once, the second sees the first's. Must be called in a transaction.
    """
    DelegateList.objects.bulk_create([DelegateList(session=session)], ignore_conflicts=True)
    row = DelegateList.objects.select_for_update(of=("self",), no_key=True).get(session=session)
    found = next_in_turn(delegates, last=row.last, place=row.place, reachable=set(reachable))
    if found is None:
        return None
    row.last, row.place = found
    row.save(update_fields=["last", "place"])
    return row.last


def _open(session: Session, post: Post, by: By, number: int, rounds: int) -> Round:
    return Round.objects.create(
        session=session,
        post_uid=post.uid,
        number=number,
        by=by,
        principal=post.principal[:200],
        body=post.body,
        mailbox_post=post.mailbox_post,
        deadline=_deadline(session) if number < rounds else None,
    )


def _deadline(session: Session) -> Any:
    waiting = Round.objects.filter(session=session, closed_at=None, deadline__isnull=False)
    if waiting.count() >= OPEN_ROUNDS:
        return None
    return clock.now() + timedelta(seconds=django_settings.DELEGATION_ROUND_SECONDS)


def _owe(call: Call, row: Round, seat: Seat, recent: list[SaidLine], answers: list[SaidLine]) -> None:
    token, run = new_uuid(), new_uuid()
    HandOff.objects.create(token=token, round=row, seat=seat, request_uid=run)
    assert call.session.seat is not None  # a worker's conversation
    delivery = DelegatedPost.model_validate(
        {
            "postId": str(row.post_uid),
            "token": str(token),
            "coordinator": call.session.seat.seat_id,
            "principal": row.principal,
            "body": row.body,
            "round": row.number,
            "recent": recent or None,
            "answers": answers or None,
        }
    )
    call.owed.append(_run(call, run, delegate_session(call.session, seat), delivery, token))


def _run(call: Call, uid: uuid.UUID, session: Session, delivery: DelegatedPost, token: uuid.UUID) -> Request:
    return hand_off(
        of=call.request,
        session_id=session.pk,
        action=HEAR,
        input=delivery.model_dump(mode="json", exclude_none=True),
        key=f"delegate:{token}",
        uid=uid,
    )


def delegate_session(conversation: Session, seat: Seat) -> Session:
    """The delegate's session below the conversation, made when it is missing; a second one when its kind changed.

    The conversation is locked, so that there is nobody to race with.
    """
    fields = {
        "organization_id": conversation.organization_id,
        "owner_id": conversation.owner_id,
        "kind": seat.kind,
        "title": f"{seat.seat_id} for {conversation.seat.seat_id if conversation.seat else ''}"[:200],
    }
    for topic in (TOPIC, f"{TOPIC}:{seat.kind}"):
        session, _ = Session.objects.get_or_create(
            parent=conversation, seat=seat, topic=topic, defaults={**fields, "address": new_session_id()}
        )
        if session.kind == seat.kind:
            break
    return session
