"""What callers see of a drained row: its run, who works it, and that somebody attends the board."""

from __future__ import annotations

from typing import Any

from boards.drains.draining import drain_boards
from tests.boards.drains.shifts import Shift
from tests.conftest import Player
from workforce import clock
from workforce.dispatch.sweep import run_due
from workforce.models import Seat

BOARD = "/api/boards/support.help.todo"


def see(player: Player, path: str) -> Any:
    answer = player.api.get(path)
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_row__from_its_filing_to_its_output_over_http(shift: Shift, owner: Player) -> None:
    seat = shift.hire()
    filed = owner.api.act("support.help", "fileTask", {"board": "todo", "goal": "Look.", "input": 3})
    path = f"{BOARD}/tasks/{filed.json()['output']['taskId']}"
    assert "run" not in see(owner, path)
    assert drain_boards() == 1
    (listed,) = see(owner, f"{BOARD}/tasks")["items"]
    row = see(owner, path)
    assert row["run"] == listed["run"]
    assert row["run"]["attempt"] == 1
    assert (row["status"], row["heldBy"]) == ("in_progress", seat.seat_id)
    request = see(owner, f"/api/requests/{row['run']['requestId']}")
    assert (request["status"], request["sessionId"]) == ("pending", row["run"]["sessionId"])
    (child,) = see(owner, "/api/sessions/support.help/children")["items"]
    assert child["id"] == row["run"]["sessionId"]
    assert (child["seatId"], child["status"]) == (seat.seat_id, "active")
    assert run_due() >= 1
    row = see(owner, path)
    assert (row["status"], row["output"]) == ("completed", {"did": "Look."})
    assert [event["kind"] for event in row["events"]] == ["added", "claimed", "run_linked", "completed"]
    assert row["events"][2]["changes"] == {"run": row["run"]}
    assert {event.get("seat") for event in row["events"][1:]} == {seat.seat_id}
    items = see(owner, f"/api/sessions/{row['run']['sessionId']}/items")["items"]
    assert len(items) == 2


def test_board__is_attended_while_somebody_drains_it(shift: Shift, owner: Player) -> None:
    assert see(owner, BOARD)["attended"] is False
    shift.hire()
    assert see(owner, BOARD)["attended"] is True


def test_board__is_not_attended_by_one_that_takes_no_tasks_or_left(shift: Shift, owner: Player) -> None:
    seat = shift.hire()
    for change in ({"kind": "coordinator"}, {"kind": "no-such-kind"}, {"retired_at": clock.now()}):
        Seat.objects.filter(pk=seat.pk).update(**change)
        assert see(owner, BOARD)["attended"] is False
        Seat.objects.filter(pk=seat.pk).update(kind="handler", retired_at=None)
    assert see(owner, BOARD)["attended"] is True


def test_assignment__by_every_name_of_a_worker(shift: Shift, owner: Player) -> None:
    for seat in ("eng.wren", "ops.wren", "ops.robin"):
        shift.hire(seat)

    def file(assignee: str) -> Any:
        return owner.api.act("support.help", "fileTask", {"board": "todo", "goal": "x", "assignee": assignee})

    refused = file("wren")
    assert refused.status_code == 422
    assert refused.json()["code"] == "unknown_assignee"
    assert "'wren' is ambiguous, it could be 'eng.wren' or 'ops.wren'" in refused.json()["detail"]
    for assignee, seat in (("robin", "ops.robin"), ("ops.robin", "ops.robin"), ("eng.wren", "eng.wren")):
        filed = file(assignee)
        assert filed.status_code == 200, filed.content
        shift.work()
        row = see(owner, f"{BOARD}/tasks/{filed.json()['output']['taskId']}")
        assert row["status"] == "completed"
        assert row["events"][1]["seat"] == seat
