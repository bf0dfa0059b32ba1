"""A worker that was retired or fired: not woken, no turn runs as it, and back again it is the same seat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.clients import problem
from tests.conftest import Mailbox, Player
from tests.workforce.hires import hire
from workforce import clock
from workforce.dispatch.run import try_run
from workforce.models import Request, Seat
from workforce.services.workers import fire_worker

Standard = Callable[..., Seat]
SETTINGS = {"model": "offline:extract"}


class Worker:
    """A member of a mailbox that can go and come back, as a standard seat or as the owner's own."""

    def __init__(self, owner: Player, seat: Standard, own: bool) -> None:
        self.owner, self.own = owner, own
        self.seat = hire(owner, "support.lead", settings=SETTINGS) if own else seat(settings=SETTINGS)

    def go(self) -> None:
        if self.own:
            fire_worker(caller=self.owner.caller, worker_id="support.lead")
        else:
            Seat.objects.filter(pk=self.seat.pk).update(retired_at=clock.now())

    def come_back(self) -> None:
        if self.own:
            hire(self.owner, "support.lead", settings=SETTINGS)
        else:
            Seat.objects.filter(pk=self.seat.pk).update(retired_at=None)


@pytest.fixture(params=["standard", "own"])
def worker(request: pytest.FixtureRequest, owner: Player, seat: Standard, mailbox: Mailbox) -> Worker:
    mailbox(members=["support.lead"])
    return Worker(owner, seat, own=request.param == "own")


def wakes() -> list[Request]:
    return list(Request.objects.filter(action="onMailboxPost").select_related("session").order_by("id"))


def post(owner: Player) -> list[dict[str, Any]]:
    """Post a line and tell the members; what became of each."""
    owner.api.line("support.help")
    fan_out = Request.objects.filter(action="onPosted").latest("id")
    assert try_run(fan_out.uid)
    fan_out.refresh_from_db()
    told: list[dict[str, Any]] = fan_out.output
    return told


def test_gone__it_is_not_woken_and_back_it_is_in_its_conversation(owner: Player, worker: Worker) -> None:
    assert [entry["delivered"] for entry in post(owner)] == [True]
    worker.go()
    assert [entry["delivered"] for entry in post(owner)] == [False]
    worker.come_back()
    assert [entry["delivered"] for entry in post(owner)] == [True]
    first, second = wakes()
    assert first.session == second.session
    assert first.session.seat_id == worker.seat.pk


def test_gone__between_post_and_wake_no_turn_runs(owner: Player, worker: Worker) -> None:
    post(owner)
    worker.go()
    (wake,) = wakes()
    assert try_run(wake.uid)
    wake.refresh_from_db()
    assert (wake.status, wake.error["code"]) == ("failed", "worker-retired")
    # The post is what it was, and so is the conversation.
    assert len(owner.api.transcript("support.help")) == 1
    assert owner.api.get(f"/api/sessions/{wake.session.address}/items").status_code == 200
    children = owner.api.get("/api/sessions/support.help/children").json()["items"]
    assert [(child["seatId"], child["status"]) for child in children] == [("support.lead", "failed")]


def test_gone__its_conversation_takes_no_turn(owner: Player, worker: Worker) -> None:
    address = owner.api.post("/api/workers/support.lead/ensure-session").json()["id"]
    worker.go()
    problem(owner.api.post("/api/workers/support.lead/ensure-session"), 404, "not-found")
    said = owner.api.post(f"/api/flows/agent/{address}/actions/run", {"input": {"message": "Hello?"}})
    assert said.status_code == 202, said.content
    request = Request.objects.get(uid=said.json()["request"]["id"])
    assert try_run(request.uid)
    shown = owner.api.get(f"/api/requests/{request.uid}").json()
    assert (shown["status"], shown["error"]["code"]) == ("failed", "worker-retired")
    worker.come_back()
    again = owner.api.post("/api/workers/support.lead/ensure-session")
    assert (again.status_code, again.json()["id"]) == (200, address)


def test_fired__the_standard_worker_of_the_id_is_woken_again(
    owner: Player, seat: Standard, mailbox: Mailbox
) -> None:
    mailbox(members=["support.lead"])
    own = seat("support.lead", owner=owner.user)
    standard = seat("support.lead")
    post(owner)
    fire_worker(caller=owner.caller, worker_id="support.lead")
    post(owner)
    assert [wake.session.seat_id for wake in wakes()] == [own.pk, standard.pk]
