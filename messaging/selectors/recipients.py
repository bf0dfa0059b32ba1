"""Who can be messaged, and why somebody cannot. See docs/worker-messages.md."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError

from messaging.errors import NoTurn, NotYourself, NoWorker, TakesTasksOnly, WorkerUnavailable
from workforce.errors import DomainError, NoSuchFlow
from workforce.kinds import WorkerKind, get_kind
from workforce.models import Organization, Seat, User
from workforce.nearest import nearest
from workforce.refusals import listed, quoted
from workforce.selectors.workers import find_worker, reachable_workers

#: How many recipients the tool's description names.
LISTED = 100
#: The internal entry that receives.
RECEIVE = "onWorkerMessage"


def access_recipient(*, organization: Organization, owner: User, sender: Seat, to: str) -> Seat:
    """The worker of this id. Raises NotYourself, NoWorker, WorkerUnavailable, TakesTasksOnly, NoTurn, in this order."""
    if to == sender.seat_id:
        raise NotYourself(f"{quoted(to)} is you; message another worker, or just go on")
    seat = find_worker(organization=organization, user=owner, worker_id=to)
    if seat is None:
        raise NoWorker(_no_worker(organization, owner, sender, to))
    check_receives(seat)
    return seat


def check_receives(seat: Seat) -> None:
    """Raise WorkerUnavailable, TakesTasksOnly or NoTurn for a worker that cannot be messaged."""
    try:
        kind = get_kind(seat.kind)
    except NoSuchFlow:
        raise WorkerUnavailable(
            f"{quoted(seat.seat_id)} cannot run: no kind '{seat.kind}' is registered; an operator must mend it"
        ) from None
    if not isinstance(kind, WorkerKind):
        raise WorkerUnavailable(f"{quoted(seat.seat_id)} cannot run: '{seat.kind}' is no kind of worker")
    try:
        settings = kind.settings.model_validate(seat.settings)
    except ValidationError as error:
        keys = sorted({str(fault["loc"][0]) for fault in error.errors() if fault["loc"]})
        wrong = listed(keys) if keys else "they are no object"
        raise WorkerUnavailable(
            f"{quoted(seat.seat_id)} cannot run: its stored settings cannot be read ({wrong}); "
            "an operator must mend it"
        ) from None
    if not kind.hears_messages:
        raise TakesTasksOnly(
            f"{quoted(seat.seat_id)} only takes tasks; file a task on a board that it works instead"
        )
    if not kind.takes_turns(settings):
        raise NoTurn(
            f"{quoted(seat.seat_id)} hands everything on and takes no turn of its own; message one of its delegates"
        )


def recipients_of(*, organization: Organization, owner: User, sender: Seat) -> Iterator[Seat]:
    """The workers that can be messaged right now, by id; the user's own before the organization's of that id."""
    found: dict[str, Seat] = {}
    rows = reachable_workers(organization=organization, user=owner).order_by("seat_id")
    # Every turn reads the roster, whose instructions may be long.
    for seat in rows.only("seat_id", "kind", "description", "settings", "owner"):
        if seat.seat_id not in found or seat.owner_id is not None:
            found[seat.seat_id] = seat
    found.pop(sender.seat_id, None)
    for seat in found.values():
        try:
            check_receives(seat)
        except DomainError:
            continue
        yield seat


def _no_worker(organization: Organization, owner: User, sender: Seat, to: str) -> str:
    known = [seat.seat_id for seat in recipients_of(organization=organization, owner=owner, sender=sender)]
    near = nearest(to, known[:1000])
    hint = f"; did you mean {quoted(near)}?" if near else ""
    return f"there is no worker {quoted(to)} on this roster{hint}"
