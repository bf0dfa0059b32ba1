"""Looking up workers: the user's own first, then the organization's. See docs/workers.md."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from workforce.callers import Caller
from workforce.errors import NotFound
from workforce.models import Organization, Seat, User
from workforce.nearest import nearest
from workforce.refusals import quoted
from workforce.roster.hires import is_sayable


def reachable_workers(*, organization: Organization, user: User) -> QuerySet[Seat]:
    """The live workers of a user: its own and the organization's. Another user's are not among them."""
    mine = Q(owner=None) | Q(owner=user)
    return Seat.objects.filter(mine, organization=organization, retired_at=None)


def find_worker(*, organization: Organization, user: User, worker_id: str) -> Seat | None:
    """The live worker that this id means to the user: its own, else the organization's."""
    if not is_sayable(worker_id):
        return None
    found = reachable_workers(organization=organization, user=user).filter(seat_id=worker_id)
    return min(found, key=lambda seat: seat.owner_id is None, default=None)


def access_worker(*, caller: Caller, worker_id: str) -> Seat:
    """The live worker that this id means to the caller. Raises NotFound, word for word also for another user's."""
    seat = find_worker(organization=caller.organization, user=caller.user, worker_id=worker_id)
    if seat is None:
        raise no_such_worker(caller, worker_id)
    return seat


def no_such_worker(caller: Caller, worker_id: str) -> NotFound:
    """The refusal for an id that means no live worker to the caller; names the nearest that does."""
    known = reachable_workers(organization=caller.organization, user=caller.user)
    near = nearest(worker_id, known.values_list("seat_id", flat=True).distinct()[:1000])
    hint = f"; did you mean {quoted(near)}?" if near else ""
    return NotFound(f"there is no worker {quoted(worker_id)}{hint}")
