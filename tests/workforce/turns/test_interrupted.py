"""Turns that are interrupted, taken again, or not taken at all."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tests.conftest import Player
from tests.workforce.dispatch.queues import make_request
from tests.workforce.turns.conftest import Desk, Floor, Offer, Script, ringing
from workforce import clock
from workforce.dispatch.run import try_run
from workforce.models import Request, Seat
from workforce.toolsets import Turn
from workforce.turns import keeping

OpenDesk = Callable[..., Desk]


def test_abort__ends_the_turn_at_its_next_step(
    owner: Player, desk: OpenDesk, script: Script, offer: Offer
) -> None:
    def abort(turn: Turn, input: Any) -> None:
        assert owner.api.post(f"/api/requests/{turn.request.uid}/abort", {}).status_code == 202

    talk = script(ringing(1), "Done.")
    offer(abort)
    opened = desk()
    request = opened.say()
    assert (request.status, len(talk)) == ("aborted", 1)
    assert [type for type, _ in opened.items()] == ["message"]
    assert request.input_tokens > 0


def test_abort__between_two_calls_of_the_model(
    owner: Player, desk: OpenDesk, script: Script, offer: Offer
) -> None:
    """The tool's own item is kept before the abort is asked for."""
    talk = script(ringing(1), "Done.")
    offer()
    opened = desk()
    keep = keeping.KeptCalls.keep

    def keep_and_abort(self: Any, *call: Any) -> None:
        keep(self, *call)
        Request.objects.update(abort_requested_at=clock.now())

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keeping.KeptCalls, "keep", keep_and_abort)
        request = opened.say()
    assert (request.status, len(talk)) == ("aborted", 1)
    assert [type for type, _ in opened.items()] == ["message", "tool_output"]


def test_lost_lease__ends_the_turn_without_a_word(desk: OpenDesk, script: Script, offer: Offer) -> None:
    def lose(turn: Turn, input: Any) -> None:
        Request.objects.update(claimed_by="another")

    talk = script(ringing(1), "Done.")
    offer(lose)
    opened = desk()
    request = opened.say()
    assert (request.status, request.claimed_by, len(talk)) == ("in_progress", "another", 1)
    assert [type for type, _ in opened.items()] == ["message"]
    assert request.input_tokens == 0


class Died(BaseException):
    """The worker's process ends here."""


def test_turn__taken_again_after_a_crash_doubles_no_item(
    desk: OpenDesk, script: Script, offer: Offer
) -> None:
    tries: list[int] = []

    def die_once(turn: Turn, input: Floor) -> Any:
        if input.floor == 2:
            tries.append(1)
            if len(tries) == 1:
                raise Died
        return {"rang": input.floor, "key": turn.key("ring")}

    script(ringing(1), ringing(1, 2), "Done.")
    offer(die_once)
    opened = desk()
    request = make_request(opened.session, "run", input={"message": "Hello?"})
    with pytest.raises(Died):
        try_run(request.uid)
    assert [type for type, _ in opened.items()] == ["message", "tool_output", "tool_output"]
    Request.objects.update(lease_until=clock.now() - timedelta(seconds=1))
    script(ringing(1), ringing(1, 2), "Done.")
    assert opened.run(request).status == "completed"
    kept = opened.items()
    assert [type for type, _ in kept] == ["message", "tool_output", "tool_output", "tool_output", "message"]
    keys = [data["output"]["key"] for type, data in kept if type == "tool_output"]
    assert keys == [f"ring:{request.uid}:{number}" for number in (1, 2, 3)]


def test_turn__of_a_worker_that_was_retired(desk: OpenDesk, script: Script) -> None:
    talk = script("Yes.")
    opened = desk(retired_at=clock.now())
    request = opened.say()
    assert (request.error["code"], talk, opened.items()) == ("worker-retired", [], [])
    assert "support.lead" in request.error["message"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"settings": {"model": "test:script", "mood": "good"}}, "mood"),
        ({"settings": {"model": 7}}, "model"),
        ({"kind": "gardener"}, "gardener"),
        ({"kind": "mailbox"}, "mailbox"),
    ],
)
def test_turn__of_a_worker_that_cannot_be_read(
    change: dict[str, Any], named: str, desk: OpenDesk, script: Script
) -> None:
    talk = script("Yes.")
    opened = desk()
    Seat.objects.update(**change)
    request = opened.say()
    assert (request.error["code"], talk, opened.items()) == ("worker-unreadable", [], [])
    assert named in request.error["message"] and "support.lead" in request.error["message"]


def test_turn__of_a_session_without_a_worker(owner: Player, script: Script) -> None:
    talk = script("Yes.")
    answer = owner.api.post("/api/flows/agent/nobody/actions/run", {"input": {"message": "Hello?"}})
    request = Request.objects.get(session__address="nobody")
    assert answer.status_code in {200, 202} and try_run(request.uid)
    request.refresh_from_db()
    assert (request.error["code"], talk) == ("no-worker", [])
