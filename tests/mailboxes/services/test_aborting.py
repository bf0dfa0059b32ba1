"""Fan-outs of routed posts that are aborted, or run again."""

from __future__ import annotations

from typing import Any

import pytest

from mailboxes.services import routing
from tests.conftest import Player
from tests.mailboxes.routes import BOX, MEMBERS, Script, declare, fan_out, placement, post, routes, woken
from workforce import clock
from workforce.dispatch.run import try_run
from workforce.dispatch.sweep import run_due
from workforce.models import Request, Session

DEVICES, ORDERS, GENERAL = MEMBERS


def test_route__run_twice_is_placed_once(owner: Player, routed: Session, script: Script) -> None:
    script.answers = [DEVICES, ORDERS]
    first = post(owner, run=False)
    assert try_run(fan_out(first).uid)
    for _ in range(2):
        Request.objects.filter(pk=fan_out(first).pk).update(status="pending", attempts=0)
        declare(routed, fallback="")  # and whatever the file says then
        assert try_run(fan_out(first).uid)
        assert fan_out(first).output == [{"member": DEVICES, "delivered": True}]
    assert (len(script.asked), len(routes(routed)), woken(first)) == (1, 1, [DEVICES])


def test_abort__before_the_placement_wakes_nobody(owner: Player, routed: Session, script: Script) -> None:
    def abort(question: Any) -> str:
        request = Request.objects.get(action="onPosted", status="in_progress")
        assert owner.api.post(f"/api/requests/{request.uid}/abort", {}).status_code in (202, 204)
        return DEVICES

    script.answers = [abort]
    first = post(owner)
    assert (fan_out(first).status, woken(first), routes(routed)) == ("aborted", [], [])
    script.answers = [ORDERS]
    second = post(owner)  # a post without a placement holds nothing
    assert (placement(second).by, woken(second)) == ("evaluated", [ORDERS])


def test_abort__after_the_placement_the_member_is_woken_and_answers(
    owner: Player, routed: Session, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    script.answers, script.says = [DEVICES], None
    post(owner)
    script.says = "Turn it off and on."
    second = post(owner, "Still.", run=False)

    settle = routing._settle

    def settle_and_abort(call: Any, *rest: Any) -> Any:
        placed = settle(call, *rest)
        Request.objects.filter(pk=call.request.pk).update(abort_requested_at=clock.now())
        return placed

    monkeypatch.setattr(routing, "_settle", settle_and_abort)
    run_due()
    assert fan_out(second).status == "aborted"
    assert (placement(second).by, woken(second)) == ("held", [DEVICES])
    assert [line["body"] for line in owner.api.transcript(BOX)][-1] == "Turn it off and on."


def test_abort__pending_is_never_placed(owner: Player, routed: Session, script: Script) -> None:
    post_id = post(owner, run=False)
    assert owner.api.post(f"/api/requests/{fan_out(post_id).uid}/abort", {}).status_code in (202, 204)
    run_due()
    assert (woken(post_id), routes(routed), script.asked) == ([], [], [])
