"""What waits for an agent that cannot be reached any more fails, so that whoever waits hears of it.

See docs/external-seats.md, "Tasks and handed posts".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

import structlog
from django.db import transaction
from django.db.models import QuerySet

from boards.drains.leases import ticket_of
from boards.drains.words import fit_error
from boards.errors import IllegalStatusTransition, LostClaim
from boards.hands import NOBODY
from boards.models import Task
from boards.services.settling import fail_task
from boards.transitions import Status
from messaging.delegation.models import HandOff
from messaging.external.models import OutsideItem
from messaging.external.selectors.standing import EXTERNAL, access_answering
from messaging.external.services.delegated import POST, subject_of
from messaging.inbox.models import Receipt
from workforce.dispatch.start import nudge_on_commit
from workforce.errors import DomainError
from workforce.kinds.delegated import DelegateAnswer
from workforce.models import Request, Session
from workforce.services.delegating import answer_request
from workforce.sql.writing import batches

BATCH = 500
log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Something that an agent was told of and has not answered, and how it is given up."""

    #: Where it was told of it; None when that was deleted.
    session: Session | None
    subject: str
    give_up: Callable[[str], int]


@dataclass(slots=True)
class _Watch:
    """Who can be reached now, each looked for once."""

    #: By seat and conversation's kind: the actor's key, or the words why there is none.
    known: dict[tuple[int | None, str], int | str] = field(default_factory=dict)

    def why_not(self, waiting: _Waiting, recipients: Iterable[int]) -> str:
        """Why no answer can come, empty while one can: one of the recipients is the agent that is there now."""
        session = waiting.session
        if session is None:
            return "outside-unreachable: the conversation in which the agent was told was deleted"
        place = (session.seat_id, session.kind)
        if place not in self.known:
            self.known[place] = _agent_of(session)
        agent = self.known[place]
        if isinstance(agent, str):
            return agent
        return (
            ""
            if agent in recipients
            else "outside-unreachable: the agent that was told is not the seat's now"
        )


def give_up_unreachable() -> int:
    """The sweep: fail what agents were told of that cannot be reached now; returns how much.

    Safe to run twice and at once. A defect of one does not stop the rest.
    """
    watch, given_up = _Watch(), 0
    for waiting in (*batches(_held_rows(), BATCH), *batches(_handed_posts(), BATCH)):
        told = _recipients(waiting)
        for one in waiting:
            words = watch.why_not(one, told.get(one.subject, set()))
            if words:
                given_up += _give_up(one, words)
    return given_up


def _give_up(one: _Waiting, words: str) -> int:
    try:
        return one.give_up(words)
    except (LostClaim, IllegalStatusTransition):
        return 0  # it was settled since it was read
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"[:200]
        log.warning("outside_not_given_up", subject=one.subject, reason=reason)
        return 0


def _agent_of(session: Session) -> int | str:
    try:
        return access_answering(session).actor.pk
    except DomainError as refusal:
        return f"{refusal.code}: {refusal.words}"


def _held_rows() -> Iterator[_Waiting]:
    held = Task.objects.filter(status=Status.IN_PROGRESS, lease_until=None, board__session__isnull=False)
    for tasks in batches(held.select_related("board").order_by("pk"), BATCH):
        runs = {task.pk: (task.board.session_id, str((task.run or {}).get("sessionId"))) for task in tasks}
        places = _sessions().filter(parent__in=[parent for parent, _ in runs.values()])
        by_run: dict[tuple[int | None, str], Session] = {
            (place.parent_id, place.address): place
            for place in places.filter(address__in=[address for _, address in runs.values()])
        }
        for task in tasks:
            yield _Waiting(by_run.get(runs[task.pk]), subject_of(task), partial(_fail_row, task))


def _handed_posts() -> Iterator[_Waiting]:
    posts = HandOff.objects.filter(status=HandOff.Status.WAITING).select_related("round__session")
    for hand_offs in batches(posts.order_by("token"), BATCH):
        over = Request.objects.filter(
            uid__in=[one.request_uid for one in hand_offs], status=Request.Status.COMPLETED
        )
        runs = {run.uid: run for run in over.filter(session__kind=EXTERNAL)}
        places = {
            place.pk: place for place in _sessions().filter(pk__in=[r.session_id for r in runs.values()])
        }
        for one in hand_offs:
            run = runs.get(one.request_uid)
            if run is not None:
                yield _Waiting(places[run.session_id], f"{POST}{one.token}", partial(_fail_post, one, run))


def _sessions() -> QuerySet[Session]:
    return Session.objects.filter(kind=EXTERNAL).select_related("seat", "organization")


def _recipients(waiting: list[_Waiting]) -> dict[str, set[int]]:
    """Whom the item of each was sent to, by its subject: a claim, or a hand-off, which are of one seat."""
    seats = {one.session.seat_id for one in waiting if one.session is not None}
    items = OutsideItem.objects.filter(seat__in=seats, subject__in={one.subject for one in waiting})
    keys = {item.message_id: item.subject for item in items}
    told: dict[str, set[int]] = {}
    receipts = Receipt.objects.filter(message__in=list(keys))
    for message, recipient in receipts.values_list("message_id", "recipient_id"):
        told.setdefault(keys[message], set()).add(recipient)
    return told


def _fail_row(task: Task, words: str) -> int:
    """End this attempt; whoever the row names is asked again while it may be, or is not there any more."""
    error = fit_error(words)
    fail_task(board=task.board, task_id=task.task_id, by=NOBODY, error=error, ticket=ticket_of(task))
    return 1


def _fail_post(hand_off: HandOff, run: Request, words: str) -> int:
    answer = DelegateAnswer(token=str(hand_off.token), error=words)
    owed = answer_request(conversation=hand_off.round.session, answer=answer, of=run)
    if Request.objects.filter(dispatch_key=owed.dispatch_key).exists():
        return 0  # its answer is on its way
    with transaction.atomic():
        Request.objects.bulk_create([owed], ignore_conflicts=True)
        nudge_on_commit([owed])
    return 1
