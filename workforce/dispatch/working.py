"""The slow part of a claimed run: steps that only the holder of the lease can take. See docs/dispatch.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from workforce.dispatch.heartbeat import HEARTBEAT, Held
from workforce.dispatch.rows import lock_both
from workforce.dispatch.start import nudge_on_commit
from workforce.kinds import Action, Call, RunAborted, RunLost
from workforce.models import Request, Session


class ClaimedWork:
    """What ``Action.work`` is handed; see ``workforce.kinds.Work`` for its contract."""

    def __init__(self, session: Session, request: Request, input: Any, held: Held) -> None:
        self.session, self.request, self.input = session, request, input
        self._held = held

    @contextmanager
    def step(self) -> Iterator[Call]:
        with transaction.atomic():
            session, request = lock_run(self.request)
            if request.abort_requested_at is not None:
                raise RunAborted
            call = Call(session=session, request=request, input=self.input)
            yield call
            Request.objects.bulk_create(call.owed)
            nudge_on_commit(call.owed)

    def check(self) -> None:
        if self._held.lost.is_set():
            raise RunLost
        row = Request.objects.filter(pk=self.request.pk)
        fields = row.values_list("claimed_by", "status", "abort_requested_at").first()
        if fields is None or fields[:2] != (self.request.claimed_by, Request.Status.IN_PROGRESS):
            raise RunLost
        if fields[2] is not None:
            raise RunAborted

    def at_every_beat(self, renew: Callable[[], None]) -> None:
        self._held.renewals.append(renew)


def work(action: Action, session: Session, claimed: Request, value: Any) -> Any:
    """Do the action's slow part under a lease that is renewed; returns what ``run`` is handed."""
    assert action.work is not None
    with HEARTBEAT.holding(claimed) as held:
        return action.work(ClaimedWork(session, claimed, value, held))


def lock_run(claimed: Request) -> tuple[Session, Request]:
    """The run's session and request, both locked. Raises RunLost when it is not the claim's any more."""
    session, request = lock_both(claimed)
    if session is None or request is None:  # the session was deleted
        raise RunLost
    if request.claimed_by != claimed.claimed_by or request.finished:
        raise RunLost
    request.session = session
    return session, request
