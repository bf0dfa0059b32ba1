"""What the pages show: columns, cards, filters, the row; as text, in a constant number of queries."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from boards.admin.page import SHOWN, SHOWN_ALONE
from boards.models import BoardWorker, Task
from boards.services import settling
from boards.transitions import Status
from tests.boards.admin.conftest import board_path, press, task_path
from tests.boards.ledgers import Ledger, staff_board
from tests.workforce.admin.conftest import World
from workforce import clock
from workforce.models import Session

EVIL = "<script>alert(1)</script>"


def columns(client: Client, ledger: Ledger, query: str = "") -> dict[str, list[Task]]:
    """The rows of each column that the page shows."""
    answer = client.get(board_path(ledger) + query)
    assert answer.status_code == 200
    return {shown.column.name: [card.task for card in shown.cards] for shown in answer.context["columns"]}


def queries(client: Client, path: str) -> int:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


def test_board__every_status_has_its_column(operator: Client, ledger: Ledger) -> None:
    rows = {status: ledger.row_in(status) for status in [*list(Status)[1:], Status.PENDING]}
    assert columns(operator, ledger) == {
        "queued": [rows[Status.PENDING]],
        "running": [rows[Status.IN_PROGRESS]],
        "needs": [rows[Status.PARKED], rows[Status.BLOCKED]],
        "done": [rows[Status.CANCELLED], rows[Status.COMPLETED]],
        "failed": [rows[Status.ERRORED]],
    }


def test_row__that_is_held_without_a_lease_says_until_when(operator: Client, ledger: Ledger) -> None:
    ledger.file(assignee="wren")
    task, _ = ledger.take("wren")
    Task.objects.filter(pk=task.pk).update(lease_until=None)
    for path in (board_path(ledger), task_path(task)):
        page = " ".join(operator.get(path).content.decode().split())
        assert "until it replies" in page and "lease ends" not in page


def test_card__says_who_holds_it_until_when_and_what_was_asked(operator: Client, ledger: Ledger) -> None:
    ledger.row_in(Status.PARKED)
    task = ledger.file("Look it up.", assignee="finch", labels=("urgent",), priority=3, max_attempts=2)
    ledger.take("wren", lease=600)
    page = operator.get(board_path(ledger)).content.decode()
    for words in (
        "Which?",
        "Look it up.",
        "finch",
        "urgent",
        "priority 3",
        "attempt 1 of 2",
        "wren",
        "in\xa09\xa0min",
    ):
        assert words in page
    assert "lease lapsed" not in page
    Task.objects.filter(pk=task.pk).update(lease_until=clock.now() - timedelta(minutes=1))
    assert "lease lapsed" in operator.get(board_path(ledger)).content.decode()


def test_card__says_that_it_is_stuck_and_what_is_stuck_behind_it(operator: Client, ledger: Ledger) -> None:
    first = ledger.file()
    ledger.file(deps=(first.task_id,))
    page = operator.get(board_path(ledger)).content.decode()
    assert "waits for 1" in page
    assert "stuck behind it" not in page
    ledger.do(settling.cancel_task, first)
    page = operator.get(board_path(ledger)).content.decode()
    assert "1 stuck behind it" in page
    assert f"waits for {first.task_id}, which will never complete" in page
    assert "1 stuck ·" in page


def test_card__leads_only_where_a_move_is_legal(operator: Client, ledger: Ledger) -> None:
    expected = {
        Status.COMPLETED: set(), Status.CANCELLED: set(), Status.ERRORED: set(),
        Status.BLOCKED: {"queued", "done"}, Status.PARKED: {"queued", "done", "failed"},
        Status.IN_PROGRESS: {"queued", "done", "failed"}, Status.PENDING: {"needs", "done"},
    }  # fmt: skip
    for status in expected:
        ledger.row_in(status)
    answer = operator.get(board_path(ledger))
    cards = [card for shown in answer.context["columns"] for card in shown.cards]
    assert {Status(card.task.status): set(card.moves.split()) for card in cards} == expected


def test_column__shows_the_newest_and_leads_to_all(operator: Client, ledger: Ledger) -> None:
    filed = [ledger.file() for _ in range(SHOWN_ALONE + 2)][::-1]
    assert columns(operator, ledger)["queued"] == filed[:SHOWN]
    alone = operator.get(board_path(ledger) + "?only=queued")
    (shown,) = alone.context["columns"]
    assert [card.task for card in shown.cards] == filed[:SHOWN_ALONE]
    assert shown.total == SHOWN_ALONE + 2
    assert columns(operator, ledger, shown.more) == {"queued": filed[SHOWN_ALONE:]}


def test_filters__by_worker_label_and_age(operator: Client, ledger: Ledger) -> None:
    old, mine, both = ledger.file(), ledger.file(assignee="wren"), ledger.file(assignee="wren", labels=("a",))
    Task.objects.filter(pk=old.pk).update(created_at=clock.now() - timedelta(days=3))
    assert columns(operator, ledger, "?assignee=wren")["queued"] == [both, mine]
    assert columns(operator, ledger, "?assignee=wren&label=a")["queued"] == [both]
    assert columns(operator, ledger, "?age=over-day")["queued"] == [old]
    assert columns(operator, ledger, "?age=under-day")["queued"] == [both, mine]
    assert columns(operator, ledger, "?age=over-week")["queued"] == []
    assert columns(operator, ledger, "?unassigned=yes")["queued"] == [old]
    assert columns(operator, ledger, "?unassigned=yes&assignee=wren")["queued"] == []
    page = operator.get(board_path(ledger) + "?unassigned=yes")
    assert 'name="unassigned" value="yes" checked' in page.content.decode()
    assert page.context["filters"].query(only="queued") == "?unassigned=yes&only=queued"


@pytest.mark.parametrize(
    "query", ["?age=x", "?only=x", "?only=done&before=x", "?only=done&before=" + "9" * 19]
)
def test_filters__what_they_do_not_know_counts_as_nothing(
    operator: Client, ledger: Ledger, query: str
) -> None:
    ledger.file()
    assert sum(map(len, columns(operator, ledger, query).values())) == ("done" not in query)


def fill(ledger: Ledger) -> None:
    """A few rows of every status, with deps between them."""
    for status in [*list(Status)[1:], Status.PENDING]:
        fallen = ledger.row_in(status, labels=("a", "b"))
        ledger.do(settling.block_task, ledger.file(deps=(fallen.task_id,)), reason="so that none is ready")
    ledger.do(settling.block_task, fallen)


def test_pages__cost_the_same_with_more_rows(operator: Client, ledger: Ledger) -> None:
    fill(ledger)
    task = ledger.file()
    paths = [board_path(ledger), "/admin/boards/board/", "/admin/boards/task/", task_path(task)]
    ledger.do(settling.block_task, task)
    before = [queries(operator, path) for path in paths]
    for _ in range(4):
        fill(ledger)
    for _ in range(5):
        ledger.do(settling.block_task, ledger.file(deps=(task.task_id,)))
    assert [queries(operator, path) for path in paths] == before
    assert before[0] <= 22


def test_row__shows_everything_of_it(operator: Client, ledger: Ledger, world: World) -> None:
    before = ledger.file(title="Before")
    task = ledger.file(
        "Do all\nof it.", context="It is long.", input={"n": [1]}, metadata={"k": "v"}, deps=(before.task_id,)
    )
    ledger.file(title="After", deps=(task.task_id,))
    session = Session.objects.get(pk=world.session.pk)
    Task.objects.filter(pk=task.pk).update(
        run={"sessionId": session.address, "requestId": "r1", "attempt": 1},
        output={"done": True},
        status="completed",
    )
    page = operator.get(task_path(task)).content.decode()
    for words in (
        "Do all\nof it.",
        "It is long.",
        "&quot;n&quot;",
        "&quot;k&quot;",
        "Before",
        "After",
        "&quot;done&quot;",
    ):
        assert words in page
    assert f"/admin/workforce/session/{session.pk}/change/" in page


def test_row__history_is_oldest_first(operator: Client, ledger: Ledger) -> None:
    task = ledger.row_in(Status.PARKED)
    press(operator, task, "answer", answer="That one.")
    answer = operator.get(task_path(task))
    assert [event["kind"] for event in answer.context["events"]] == ["added", "claimed", "parked", "answered"]
    assert answer.context["events"][1]["move"] == ("pending", "in progress")
    assert "That one." in answer.content.decode()


@pytest.mark.parametrize("status", list(Status))
def test_pages__every_text_is_text(operator: Client, ledger: Ledger, status: Status) -> None:
    BoardWorker.objects.create(board=ledger.board, worker_id=EVIL, key=EVIL)
    evil: dict[str, Any] = {
        "title": EVIL,
        "labels": (EVIL,),
        "assignee": EVIL,
        "input": EVIL,
        "metadata": {EVIL: EVIL},
    }
    task = ledger.row_in(status, **evil, goal=EVIL, context=EVIL)
    ledger.do(settling.block_task, ledger.file(EVIL, deps=(task.task_id,)), reason=EVIL)
    Task.objects.filter(pk=task.pk).update(
        error=EVIL, feedback=EVIL, claimed_by=EVIL, lease_until=clock.now(), author=EVIL, created_by=EVIL,
        output={EVIL: EVIL}, run={"sessionId": EVIL}, retry_of=EVIL,
    )  # fmt: skip
    task.events.update(principal=EVIL, passname=EVIL, seat=EVIL, changes={EVIL: EVIL, "n": [EVIL]})
    paths = [board_path(ledger), task_path(task), "/admin/boards/task/", board_path(ledger, "file/")]
    acts = [task_path(task, f"{name}/?revision=7") for name in ("assign", "cancel", "retry")]
    filters = [board_path(ledger) + "?label=<script>alert(1)</script>&assignee=<script>alert(1)</script>"]
    for path in [*paths, *acts, *filters]:
        answer = operator.get(path)
        assert answer.status_code == 200
        assert EVIL.encode() not in answer.content
    refused = press(operator, task, "answer", answer=EVIL, revision=99)
    assert EVIL.encode() not in refused.content


def test_overview__counts_stuck_oldest_and_attendance(operator: Client, ledger: Ledger) -> None:
    (shown,) = operator.get("/admin/boards/board/").context["cl"].result_list
    assert shown.figures["attended"] is False
    staff_board(ledger.board)
    dead = ledger.row_in(Status.ERRORED)
    ledger.file(deps=(dead.task_id,))
    ledger.row_in(Status.PARKED)
    ledger.row_in(Status.IN_PROGRESS)
    answer = operator.get("/admin/boards/board/")
    (shown,) = answer.context["cl"].result_list
    assert (shown.figures["stuck"], shown.figures["attended"]) == (1, True)
    assert b"a worker" in answer.content


def test_orphaned__rows_for_no_worker_say_so(operator: Client, ledger: Ledger) -> None:
    task = ledger.file(title="Old", assignee="finch")
    ledger.row_in(Status.CANCELLED, assignee="finch")
    paths = ["/admin/boards/board/", board_path(ledger), task_path(task)]
    assert not [path for path in paths if "no worker of this board" in operator.get(path).content.decode()]
    BoardWorker.objects.create(board=ledger.board, worker_id="support.wren", key="wren")
    overview, board, row = (operator.get(path) for path in paths)
    assert overview.context["cl"].result_list[0].figures["orphaned"] == 1
    page = board.content.decode()
    assert "1 open row is assigned to no worker of this board" in page
    assert page.count("assigned to finch, which is no worker of this board: nobody takes it") == 1
    assert "Assign it to one of wren, or unassign it." in row.content.decode()
    press(operator, task, "unassign")
    assert "no worker of this board" not in operator.get(board_path(ledger)).content.decode()


def test_list__is_filtered_and_searched(operator: Client, ledger: Ledger, world: World) -> None:
    task, other = ledger.file(assignee="wren", labels=("a",)), ledger.row_in(Status.BLOCKED)
    for query, rows in (
        ("?q=" + task.task_id, [task]), ("?q=wren", [task]), ("?q=a", [task]), ("?q=wre", []),
        ("?status=needs", [other]), ("?status=pending", [task]), ("?age=over-day", []),
        ("?assigned=no", [other]), ("?assigned=yes", [task]), ("?assigned=x", [other, task]),
        (f"?mailbox={world.mailbox.mailbox_id}", [other, task]), ("?mailbox=x", []),
    ):  # fmt: skip
        assert list(operator.get("/admin/boards/task/" + query).context["cl"].result_list) == rows, query
