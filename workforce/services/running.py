"""Running an action of a session for a caller. See docs/sessions.md."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import IntegrityError, transaction

from workforce import clock
from workforce.callers import Caller
from workforce.dispatch.perform import complete, refuse
from workforce.dispatch.start import nudge_on_commit
from workforce.errors import DomainError, NoSuchAction, RequestTaken, SessionNotFound
from workforce.ids import new_session_id
from workforce.inputs import validate_input
from workforce.kinds import Action, Call, Kind, Mode, get_kind
from workforce.models import Grant, IdempotencyRecord, Request, Session
from workforce.nearest import unknown_words
from workforce.services import idempotency
from workforce.services.sessions import open_for_action, save_if_new


@dataclass(frozen=True, slots=True)
class ActionCall:
    """What a client asks for: an action of a kind, in a session (minted when None), with an input."""

    kind: str
    action: str
    address: str | None
    input: Any
    request_id: uuid.UUID | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    repeat: idempotency.Repeat | None = None
    retry_of: uuid.UUID | None = None


def run_action(*, caller: Caller, asked: ActionCall) -> Request:
    """Run a public action and return its request.

    A data action has run when this returns: its request is completed, or failed with the refusal. A
    background action is pending and will be picked up. Raises (and writes nothing) for an unknown kind or
    action, an invalid input, a missing grant, a foreign session, and a taken request id or key.
    """
    kind = get_kind(asked.kind)
    if asked.address is None:  # minted once, so that a refusal names the session that it is kept in
        asked = replace(asked, address=new_session_id())
    value = _checked_input(kind.actions.get(asked.action), caller, kind, asked)
    try:
        return _run_or_refuse(caller, kind, asked, value)
    except IntegrityError:
        if asked.request_id is not None and _exists(asked.request_id):
            raise RequestTaken(f"a request with the id '{asked.request_id}' exists; choose another") from None
        # A call that does not lock its session can meet that session's end.
        if asked.address is not None and not _session_exists(caller, asked.address):
            raise SessionNotFound(f"there is no session '{asked.address}'") from None
        raise


class _Refused(Exception):
    """Carries a refusal out of the transaction that it undoes."""

    def __init__(self, refusal: DomainError) -> None:
        self.refusal = refusal


def _run_or_refuse(caller: Caller, kind: Kind, asked: ActionCall, value: Any) -> Request:
    """Run in one transaction; a refusal undoes it, and what stays of the call is written in a second one.

    A savepoint would do the same at the price of two more statements for every call that is not refused.
    """
    try:
        with transaction.atomic():
            return _run(caller, kind, asked, value)
    except _Refused as refused:
        with transaction.atomic():
            return _run(caller, kind, asked, value, refused.refusal)


def _checked_input(action: Action | None, caller: Caller, kind: Kind, asked: ActionCall) -> Any:
    """The validated input; None for an internal entry and for an action that only the session can tell."""
    if action is None or not action.public:
        return None  # refused where unknown names are, so that nothing tells the two apart
    caller.check_granted(Grant.FLOWS_READ if action.reads else Grant.FLOWS_WRITE)
    return validate_input(action.input, asked.input)


def _run(
    caller: Caller, kind: Kind, asked: ActionCall, value: Any, refusal: DomainError | None = None
) -> Request:
    record = None
    if asked.repeat is not None:
        record, first = idempotency.begin(caller=caller, repeat=asked.repeat)
        repeated = None if first else _as_answered(record)
        if repeated is not None:
            return repeated
    declared = kind.actions.get(asked.action)
    session = open_for_action(
        caller=caller, kind=kind, address=asked.address, lock=not kind.only_reads(asked.action)
    )
    action = kind.find_action(session, asked.action)
    if action is None or not action.public:
        raise no_such_action(kind, session, asked.action)
    if declared is None:
        value = _checked_input(action, caller, kind, asked)
    session = save_if_new(session=session, caller=caller, kind=kind)
    request = _new_request(caller, session, action, asked)
    owed: list[Request] = []
    if action.mode is Mode.DATA:
        request.started_at, request.attempts = request.created_at, 1
        if refusal is not None:
            refuse(request, refusal)
        else:
            _perform(action, Call(session=session, request=request, input=value, caller=caller, owed=owed))
    # One insert for the run and what it owes: the row was known by its uid before.
    Request.objects.bulk_create([request, *owed])
    nudge_on_commit([request, *owed])
    if record is not None:
        record.request_uid, record.answer = request.uid, request.status
        record.save(update_fields=["request_uid", "answer"])
    return request


def _perform(action: Action, call: Call) -> None:
    try:
        complete(call.request, action.run(call))
    except DomainError as refusal:
        raise _Refused(refusal) from None


def _as_answered(record: IdempotencyRecord) -> Request | None:
    """The first call's request as that call was answered; None when it went with its session since."""
    assert record.request_uid is not None  # written with the record, in the same transaction
    request = Request.objects.select_related("session").filter(uid=record.request_uid).first()
    if request is not None and record.answer == Request.Status.PENDING:
        request.status, request.output, request.error = Request.Status.PENDING, None, None
    return request


def _session_exists(caller: Caller, address: str) -> bool:
    return Session.objects.filter(organization=caller.organization, address=address).exists()


def _exists(uid: uuid.UUID) -> bool:
    return Request.objects.filter(uid=uid).exists()


def _new_request(caller: Caller, session: Session, action: Action, asked: ActionCall) -> Request:
    request = Request(
        session=session,
        action=action.name,
        source=caller.source,
        passname=caller.passname,
        input=asked.input,
        metadata=asked.metadata,
        serial=action.serial,
        reads=action.reads,
        retry_of_uid=asked.retry_of,
        created_at=clock.now(),
    )
    if asked.request_id is not None:
        request.uid = asked.request_id
    request.chain_uid = request.uid
    return request


def no_such_action(kind: Kind, session: Session, name: str) -> NoSuchAction:
    """The refusal for an unknown action and, word for word the same, for an internal entry."""
    found = [kind.find_action(session, declared) for declared in kind.actions]
    public = [action.name for action in found if action is not None and action.public]
    return NoSuchAction(unknown_words(f"action of the flow '{kind.name}'", [name], public))
