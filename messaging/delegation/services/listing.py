"""The delegates of one conversation: listed, added, removed, and who is the fallback. See docs/delegation.md.

The list of the worker's file counts until a conversation's own is first changed; from then on its own does.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from messaging.delegation.errors import DelegateListed, DelegateUnavailable, NotADelegate, TooManyDelegates
from messaging.delegation.models import DelegateList
from messaging.delegation.modes import MAX_DELEGATES
from messaging.delegation.selectors.delegates import Delegates, delegates_of, seats_named, takes
from workforce.callers import Caller
from workforce.models import Session
from workforce.refusals import listed, quoted
from workforce.selectors.workers import access_worker


def list_delegates(*, session: Session, settings: BaseModel) -> dict[str, Any]:
    """The conversation's delegates with what each takes now, its fallback, and the most that it may have."""
    return _shape(delegates_of(session, settings))


def add_delegate(*, session: Session, settings: BaseModel, worker: str) -> dict[str, Any]:
    """Add a worker at the end of the list. The session is locked by the caller.

    Raises NotFound for who is not on the roster, then DelegateUnavailable for who takes neither posts nor tasks,
    DelegateListed and TooManyDelegates.
    """
    present = delegates_of(session, settings)
    seat = access_worker(
        caller=Caller(user=session.owner, organization=session.organization), worker_id=worker
    )
    would = Delegates((worker,), seats=seats_named(session, [worker]))
    if seat.pk == session.seat_id:
        raise DelegateUnavailable(f"{quoted(worker)} is the worker itself; name another one")
    if takes(would, worker) == "nothing":
        raise DelegateUnavailable(f"{quoted(worker)} takes neither posts nor tasks; name another worker")
    if worker in present.ids:
        raise DelegateListed(f"{quoted(worker)} is a delegate of this conversation already")
    if len(present.ids) >= MAX_DELEGATES:
        raise TooManyDelegates(
            f"this conversation has {MAX_DELEGATES} delegates, which is the most; remove one first"
        )
    return _keep(session, settings, (*present.ids, worker), present.fallback)


def remove_delegate(*, session: Session, settings: BaseModel, worker: str) -> dict[str, Any]:
    """Take a worker off the list, hired or not; it is no fallback any more then. Raises NotADelegate."""
    present = delegates_of(session, settings)
    check_listed(present, worker)
    fallback = None if present.fallback == worker else present.fallback
    return _keep(session, settings, tuple(one for one in present.ids if one != worker), fallback)


def set_fallback(*, session: Session, settings: BaseModel, worker: str | None) -> dict[str, Any]:
    """Make one of the delegates the fallback, or nobody. Raises NotADelegate."""
    present = delegates_of(session, settings)
    if worker is not None:
        check_listed(present, worker)
    return _keep(session, settings, present.ids, worker)


def check_listed(delegates: Delegates, worker: str) -> None:
    """Raise NotADelegate, with those that are, for a worker that is not on the list."""
    if worker not in delegates.ids:
        raise NotADelegate(
            f"{quoted(worker)} is no delegate of this conversation; known: {listed(delegates.ids)}"
        )


def _keep(
    session: Session, settings: BaseModel, ids: tuple[str, ...], fallback: str | None
) -> dict[str, Any]:
    DelegateList.objects.update_or_create(
        session=session, defaults={"delegates": list(ids), "fallback": fallback or ""}
    )
    return list_delegates(session=session, settings=settings)


def _shape(delegates: Delegates) -> dict[str, Any]:
    rows = []
    for worker in delegates.ids:
        seat = delegates.seats.get(worker)
        description = seat.description.strip() if seat is not None else ""
        rows.append({"worker": worker, "description": description or None, "takes": takes(delegates, worker)})
    return {"delegates": rows, "fallback": delegates.fallback, "max": MAX_DELEGATES}
