"""A user's own conversation with a worker. See docs/workers.md."""

from __future__ import annotations

from django.db import IntegrityError, transaction

from workforce.callers import Caller
from workforce.ids import derived_session_id, new_session_id
from workforce.kinds import WorkerKind, get_kind
from workforce.models import Seat, Session
from workforce.refusals import quoted
from workforce.selectors.workers import access_worker, no_such_worker
from workforce.workererrors import NoConversation


def ensure_worker_session(*, caller: Caller, worker_id: str) -> tuple[Session, bool]:
    """The caller's latest conversation with a worker on the worker's kind, and whether it was made now.

    Two calls at once end on one session. It is known by its seat, never by its address: what somebody put at
    the derived address is neither used nor touched. Raises NotFound for the worker, and NoConversation when
    neither clients nor other workers can say anything to one of its kind.
    """
    with transaction.atomic():
        seat = access_worker(caller=caller, worker_id=worker_id)
        # Whoever comes second finds what the first made; foreign keys to the seat are not held up.
        hired = Seat.objects.select_for_update(no_key=True).filter(pk=seat.pk, retired_at=None).first()
        if hired is None:  # fired since it was looked up
            raise no_such_worker(caller, worker_id)
        seat, kind = hired, get_kind(hired.kind)
        hears = isinstance(kind, WorkerKind) and kind.hears_messages
        if not hears and not any(action.public for action in kind.actions.values()):
            raise NoConversation(
                f"{quoted(seat.seat_id)} is a worker of the kind '{seat.kind}', which takes tasks and has no "
                "conversations; file a row on one of its boards"
            )
        present = (
            Session.objects.select_related("owner", "seat", "parent")
            .filter(
                organization=caller.organization, owner=caller.user, seat=seat, parent=None, kind=seat.kind
            )
            .order_by("-updated_at", "-pk")
            .first()
        )
        if present is not None:
            return present, False
        derived = derived_session_id("worker", caller.organization.pk, caller.user.pk, seat.pk, seat.kind)
        session = _unsaved(caller, seat, derived)
        try:
            with transaction.atomic():
                session.save(force_insert=True)
        except IntegrityError:  # the address was told before and taken
            session = _unsaved(caller, seat, new_session_id())
            session.save(force_insert=True)
    return session, True


def _unsaved(caller: Caller, seat: Seat, address: str) -> Session:
    return Session(
        organization=caller.organization,
        owner=caller.user,
        address=address,
        kind=seat.kind,
        seat=seat,
        title=f"Conversation with {seat.seat_id}",
    )
