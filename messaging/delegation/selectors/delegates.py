"""Who the delegates of a conversation are, and what each of them takes now. See docs/delegation.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ValidationError

from messaging.delegation.models import DelegateList
from workforce.kinds import WorkerKind, registered_kinds
from workforce.models import Seat, Session
from workforce.selectors.workers import reachable_workers

NO_DELEGATE = "is no delegate any more"
NOT_HIRED = "is not hired any more"
ITSELF = "is the worker itself"
ONLY_TASKS = "only takes tasks"
NO_TASKS = "takes no tasks"


@dataclass(frozen=True, slots=True)
class Delegates:
    """A conversation's delegates in their order, and their seats as far as they are hired."""

    ids: tuple[str, ...] = ()
    fallback: str | None = None
    seats: Mapping[str, Seat] = field(default_factory=dict)
    #: The worker that they are the delegates of.
    own: str = ""

    def why_no_posts(self, worker: str) -> str:
        """Why the delegate cannot be handed a post; empty when it can."""
        seat = self.seats.get(worker)
        if seat is None:
            return self._why_missing(worker)
        kind = registered_kinds().get(seat.kind)
        if not isinstance(kind, WorkerKind) or not kind.takes_posts:
            return ONLY_TASKS if isinstance(kind, WorkerKind) and kind.takes_tasks else "takes no posts"
        return _unreadable(kind, seat)

    def why_no_tasks(self, worker: str) -> str:
        """Why the delegate cannot be given a task; empty when it can."""
        seat = self.seats.get(worker)
        if seat is None:
            return self._why_missing(worker)
        kind = registered_kinds().get(seat.kind)
        return "" if isinstance(kind, WorkerKind) and kind.takes_tasks else NO_TASKS

    def post_takers(self) -> dict[str, Seat]:
        """Those that a post reaches, in their order."""
        return {worker: self.seats[worker] for worker in self.ids if not self.why_no_posts(worker)}

    def task_takers(self) -> dict[str, Seat]:
        """Those that take tasks, in their order."""
        return {worker: self.seats[worker] for worker in self.ids if not self.why_no_tasks(worker)}

    def _why_missing(self, worker: str) -> str:
        if worker not in self.ids:
            return NO_DELEGATE
        return ITSELF if worker == self.own else NOT_HIRED


def delegates_of(session: Session, settings: BaseModel) -> Delegates:
    """The conversation's own list when it has one, else that of its worker's settings."""
    own = DelegateList.objects.filter(session=session).first()
    if own is not None and own.delegates is not None:
        ids, fallback = tuple(own.delegates), own.fallback or None
    else:
        ids = tuple(getattr(settings, "delegates", None) or ())
        fallback = getattr(settings, "fallback", None)
    worker = session.seat.seat_id if session.seat is not None else ""
    return Delegates(ids, fallback, seats_named(session, ids), worker)


def seats_named(session: Session, ids: Iterable[str]) -> dict[str, Seat]:
    """The live seats that these ids mean to the session's owner: its own first. Never the session's own worker."""
    found: dict[str, Seat] = {}
    named = reachable_workers(organization=session.organization, user=session.owner)
    for seat in named.filter(seat_id__in=list(ids)):
        if seat.pk != session.seat_id and (seat.seat_id not in found or seat.owner_id is not None):
            found[seat.seat_id] = seat
    return found


def takes(delegates: Delegates, worker: str) -> str:
    """What the delegate takes: ``posts``, ``tasks``, ``both`` or ``nothing``."""
    posts, tasks = not delegates.why_no_posts(worker), not delegates.why_no_tasks(worker)
    return {(True, True): "both", (True, False): "posts", (False, True): "tasks"}.get(
        (posts, tasks), "nothing"
    )


def _unreadable(kind: WorkerKind, seat: Seat) -> str:
    try:
        kind.settings.model_validate(seat.settings)
    except ValidationError:
        return "cannot run: its stored settings cannot be read"
    return ""
