"""A row of a board that is ready for an external seat becomes a request that says how to claim it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from boards.drains.draining import drain_board, drain_boards
from boards.models import Task
from boards.services import editing, settling
from boards.services.staffing import settle_workers
from boards.transitions import Status
from messaging.external.models import OutsideItem
from messaging.inbox.models import Inbox
from tests.boards.ledgers import Ledger, make_board, staff_board
from tests.conftest import Mailbox, Player
from tests.messaging.external.conftest import SEAT, Outside, hire_outside
from tests.messaging.inbox.conftest import admit
from workforce.models import Grant, Request
from workforce.services.keys import issue_key

pytestmark = pytest.mark.django_db
BOARD = "support.help.todo"


@dataclass
class Bench:
    """A board that the external seat drains."""

    ledger: Ledger
    outside: Outside

    def go(self) -> int:
        told = drain_board(self.ledger.board.pk)
        self.outside.run()
        return told

    def told(self) -> int:
        return OutsideItem.objects.filter(about="row").count()


@pytest.fixture
def bench(owner: Player, mailbox: Mailbox, inbox: Inbox) -> Bench:
    board = make_board(owner.organization, BOARD)
    place = mailbox("support.help", members=[SEAT])
    seat = hire_outside(owner.organization, drains=[BOARD])
    settle_workers(organization=owner.organization, drains={BOARD: [SEAT]})
    return Bench(Ledger(board), Outside(owner, place, seat, admit(inbox, "wren", user=owner.user)))


def test_row__becomes_a_request_with_the_claim(bench: Bench) -> None:
    task = bench.ledger.file("Count them.", title="Stock", assignee="wren", input={"shelf": 3})
    assert bench.go() == 1
    item = bench.outside.item()
    assert (item["type"], item["topic"], item["sender"]) == ("request", "board", "workforce")
    payload = item["payload"]
    assert (payload["board"], payload["taskId"], payload["goal"]) == (BOARD, task.task_id, "Count them.")
    assert (payload["title"], payload["input"], "context" in payload) == ("Stock", {"shelf": 3}, False)
    assert payload["claim"] == {
        "grant": "boards:write",
        "method": "POST",
        "path": f"/api/boards/{BOARD}/claim",
        "body": {"worker": SEAT, "assignee": "wren"},
    }
    task.refresh_from_db()
    assert task.status == Status.PENDING


def test_claim_of_the_item__takes_the_row(bench: Bench) -> None:
    task = bench.ledger.file(assignee="wren")
    bench.go()
    payload = bench.outside.item()["payload"]
    _, key = issue_key(
        organization=bench.outside.owner.organization, passname="wren", grants=[Grant.BOARDS_WRITE]
    )
    api = type(bench.outside.agent.api)(key)
    claimed = api.post(payload["claim"]["path"], payload["claim"]["body"]).json()
    assert claimed["task"]["id"] == task.task_id
    path = payload["settle"]["complete"].replace("<task id>", task.task_id)
    assert api.post(path, {"ticket": claimed["ticket"], "output": "7"}).status_code == 200
    task.refresh_from_db()
    assert task.status == Status.COMPLETED


def test_unassigned_row__is_the_only_workers(bench: Bench) -> None:
    bench.ledger.file()
    assert bench.go() == 1
    assert bench.outside.item()["payload"]["claim"]["body"] == {"worker": SEAT}
    staff_board(bench.ledger.board, "support.lark")
    bench.ledger.file()
    assert bench.go() == 0


def test_row__is_told_once_however_often_it_is_looked_for(bench: Bench) -> None:
    task = bench.ledger.file(assignee="wren")
    assert [bench.go(), bench.go(), drain_boards()] == [1, 0, 0]
    bench.ledger.do(editing.update_task, task, patch=editing.Patch(priority=5))
    assert (bench.go(), bench.told()) == (0, 1)


def test_row__that_becomes_ready_again_is_told_again(bench: Bench) -> None:
    bench.ledger.file(assignee="wren")
    bench.go()
    task, ticket = bench.ledger.take("wren")
    assert bench.go() == 0
    bench.ledger.do(settling.release_task, task, ticket=ticket)
    assert (bench.go(), bench.go(), bench.told()) == (1, 0, 2)


def test_row__that_lapsed_is_told_again(bench: Bench) -> None:
    bench.ledger.file(assignee="wren")
    bench.go()
    task, _ = bench.ledger.take("wren")
    Task.objects.filter(pk=task.pk).update(lease_until=task.created_at)
    assert (bench.go(), bench.go(), bench.told()) == (1, 0, 2)


def test_row_with_deps__is_told_once_they_are_done(bench: Bench) -> None:
    first = bench.ledger.file("First.", assignee="wren")
    bench.ledger.file("Then this.", assignee="wren", deps=[first.task_id])
    assert bench.go() == 1
    _, ticket = bench.ledger.take()
    bench.ledger.complete(first, ticket=ticket)
    assert bench.go() == 1
    assert [item["payload"]["goal"] for item in bench.outside.items()] == ["First.", "Then this."]


def test_row__for_another_worker_is_told_when_it_becomes_the_seats(bench: Bench) -> None:
    staff_board(bench.ledger.board, "support.lark", kind="elsewhere")
    task = bench.ledger.file(assignee="lark")
    assert bench.go() == 0
    bench.ledger.do(editing.assign_task, task, assignee="wren")
    assert bench.go() == 1


def test_row__that_was_taken_before_the_run_is_not_told(bench: Bench) -> None:
    bench.ledger.file(assignee="wren")
    assert drain_board(bench.ledger.board.pk) == 1
    bench.ledger.take("wren")
    bench.outside.run()
    assert bench.told() == 0
    assert Request.objects.get(action="onTaskReady").output["told"] is False


def test_reply__is_a_line_in_the_boards_mailbox_and_settles_no_row(bench: Bench) -> None:
    task = bench.ledger.file(assignee="wren")
    bench.go()
    item = bench.outside.item()
    bench.outside.reply(item, "I am on it.")
    bench.outside.agent.do(item["id"], "complete")
    assert bench.outside.said() == [(SEAT, "I am on it.")]
    task.refresh_from_db()
    assert task.status == Status.PENDING


def test_five_hundred_rows_and_more__are_all_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boards.drains.heralding.BATCH", 3)
    for number in range(8):
        bench.ledger.file(f"Row {number}.", assignee="wren")
    assert bench.go() == 8
    goals = [item["payload"]["goal"] for item in bench.outside.items()]
    assert goals == [f"Row {number}." for number in range(8)]
