"""A user's own workers at the same moment, on a database with row locks."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.conftest import Player
from tests.racing import ON_POSTGRESQL, at_once
from tests.workforce.hires import hire
from workforce.errors import NotFound
from workforce.models import Seat, Session
from workforce.services.conversing import ensure_worker_session
from workforce.services.workers import edit_worker, fire_worker, fork_worker
from workforce.workererrors import WorkerTaken

pytestmark = ON_POSTGRESQL

AT_ONCE = 6
ROUNDS = 5


def outcomes(results: list[Any]) -> Counter[type[Any]]:
    return Counter(map(type, results))


def test_hire__exactly_one_of_many_gets_the_id(owner: Player) -> None:
    for number in range(ROUNDS):
        name = f"worker-{number}"
        results = at_once(*[lambda: hire(owner, name)] * AT_ONCE)  # noqa: B023
        assert outcomes(results) == {Seat: 1, WorkerTaken: AT_ONCE - 1}
    assert Seat.objects.count() == ROUNDS


def test_hire__and_fork_of_one_id(owner: Player, seat: Any) -> None:
    seat("support.lead")

    def fork() -> Seat:
        return fork_worker(caller=owner.caller, origin="support.lead", worker_id="mine")

    results = at_once(*[fork, lambda: hire(owner, "mine")] * 3)
    assert outcomes(results) == {Seat: 1, WorkerTaken: 5}


def test_hire__again_revives_the_fired_seat_once(owner: Player) -> None:
    first = hire(owner)
    for _ in range(ROUNDS):
        fire_worker(caller=owner.caller, worker_id=first.seat_id)
        results = at_once(*[lambda: hire(owner)] * AT_ONCE)
        assert outcomes(results) == {Seat: 1, WorkerTaken: AT_ONCE - 1}
    assert list(Seat.objects.values_list("pk", "retired_at")) == [(first.pk, None)]


def test_fire__happens_once(owner: Player) -> None:
    hire(owner)
    results = at_once(*[lambda: fire_worker(caller=owner.caller, worker_id="my-analyst")] * AT_ONCE)
    assert outcomes(results) == {Seat: 1, NotFound: AT_ONCE - 1}


def test_edit__against_firing_never_revives(owner: Player) -> None:
    for number in range(ROUNDS):
        name = f"worker-{number}"
        hire(owner, name)
        at_once(
            lambda: fire_worker(caller=owner.caller, worker_id=name),  # noqa: B023
            *[lambda: edit_worker(caller=owner.caller, worker_id=name, description="New.")] * 3,  # noqa: B023
        )
    assert not Seat.objects.filter(retired_at=None).exists()


def test_edit__at_once_loses_no_part(owner: Player) -> None:
    hire(owner)
    results = at_once(
        lambda: edit_worker(caller=owner.caller, worker_id="my-analyst", description="New."),
        lambda: edit_worker(caller=owner.caller, worker_id="my-analyst", instructions="Also new."),
        lambda: edit_worker(caller=owner.caller, worker_id="my-analyst", settings={"concurrency": 7}),
    )
    assert outcomes(results) == {Seat: 3}
    seat = Seat.objects.get()
    assert (seat.description, seat.instructions, seat.settings) == ("New.", "Also new.", {"concurrency": 7})


def test_ensure_session__two_calls_at_once_end_on_one(owner: Player, stranger: Player, seat: Any) -> None:
    for number in range(ROUNDS):
        name = f"support.lead-{number}"
        lead = seat(name)
        if number % 2:  # somebody sits at the derived address
            address = ensure_worker_session(caller=owner.caller, worker_id=name)[0].address
            Session.objects.all().delete()
            Session.objects.create(
                organization=owner.organization, owner=stranger.user, address=address, kind="agent"
            )
        results = at_once(
            *[lambda: ensure_worker_session(caller=owner.caller, worker_id=name)] * AT_ONCE  # noqa: B023
        )
        assert {session.pk for session, _ in results} == {Session.objects.get(seat=lead).pk}
        assert sum(made for _, made in results) == 1
