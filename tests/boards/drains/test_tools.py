"""The eight tools on a worker's turn: by boardTools only, with the turn's ticket, each effect once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from boards.models import Task
from boards.toolnames import BOARD_TOOLS
from tests.boards.drains.shifts import Puppet, Shift
from tests.boards.ledgers import Ledger, make_board, unwritten
from workforce.dispatch.run import try_run
from workforce.inputs import validate_input
from workforce.kinds import RunAborted, RunLost, Work
from workforce.kinds.agent_settings import AgentSettings
from workforce.models import Request, Seat
from workforce.toolsets import Tool, Turn, tools_for

TODO = "support_help_todo"


class Hands:
    """The tools of one turn, called as a model calls them."""

    def __init__(self, work: Work, **about: Any) -> None:
        seat = work.session.seat
        assert seat is not None
        settings = AgentSettings.model_validate(seat.settings)
        self.turn = Turn(seat, work.session, work.request, work, settings, about)
        self.tools: dict[str, Tool] = {tool.name: tool for tool in tools_for(self.turn)}

    def use(self, tool: str, board: str = TODO, **value: Any) -> dict[str, Any]:
        found = self.tools[f"{tool}_{board}"]
        answer: dict[str, Any] = found.run(self.turn, validate_input(found.input, value))
        return answer


Play = Callable[[Hands, Task], Any]


@pytest.fixture
def turn(shift: Shift, puppet: Puppet) -> Callable[..., Task]:
    """Has a seat with tools on the board work a row, on a turn that the test plays; the row afterwards."""

    def take(play: Play, *, about_task: bool = True, tools: list[str] | None = None) -> Task:
        if not Seat.objects.exists():
            shift.hire(kind="puppet", boardTools=tools if tools is not None else [shift.board.board_id])
        task = shift.ledger.file(assignee="wren", priority=9)

        def played(work: Work) -> Any:
            about = {"task": work.input} if about_task else {}
            return play(Hands(work, **about), shift.ledger.see(task))

        puppet.play = played
        assert shift.drain() == 1
        assert try_run(shift.runs(task)[-1].uid)
        return shift.ledger.see(task)

    return take


def test_offer__the_eight_of_each_board(turn: Callable[..., Task], shift: Shift) -> None:
    make_board(shift.board.organization, "a.b.c")
    make_board(shift.board.organization, "a.b.gone", live=False)
    boards = [shift.board.board_id, "a.b.c", "a.b.gone", "a.b.none"]
    offered: list[str] = []
    turn(lambda hands, task: offered.extend(hands.tools), tools=boards)
    assert offered == [f"{tool}_{suffix}" for suffix in ("a_b_c", TODO) for tool in BOARD_TOOLS]


def test_offer__draining_alone_and_tools_give_none(turn: Callable[..., Task]) -> None:
    offered: list[str] = []
    turn(lambda hands, task: offered.extend(hands.tools), tools=[])
    Seat.objects.update(settings={**Seat.objects.get().settings, "tools": [f"addTask_{TODO}"]})
    turn(lambda hands, task: offered.extend(hands.tools))
    assert offered == []


def test_settle__by_tool_and_the_final_text_is_ignored(turn: Callable[..., Task], shift: Shift) -> None:
    answers: list[Any] = []

    def play(hands: Hands, task: Task) -> str:
        answers.append(hands.use("completeTask", taskId=task.task_id, output={"by": "tool"}))
        answers.append(hands.use("completeTask", taskId=task.task_id, output={"by": "tool"}))
        return "the final text"

    row = turn(play)
    assert answers == [{"ok": True}] * 2
    assert (row.status, row.output) == ("completed", {"by": "tool"})
    event = shift.ledger.last(row)
    assert (event.kind, event.principal, event.seat) == ("completed", "ada", "support.wren")
    (request,) = shift.runs(row)
    assert request.status == "completed"


def test_settle__another_row_than_the_turns_own(turn: Callable[..., Task], shift: Shift) -> None:
    other = Ledger(make_board(shift.board.organization, "a.b.c"))
    there, beside = other.file(), shift.ledger.file()
    settling: dict[str, dict[str, Any]] = {
        "completeTask": {"output": 1}, "failTask": {"error": "no"}, "blockTask": {}, "cancelTask": {},
    }  # fmt: skip

    def play(hands: Hands, task: Task) -> str:
        for tool, value in settling.items():
            for board, row in ((TODO, beside), ("a_b_c", there)):
                with unwritten():
                    answer = hands.use(tool, board, taskId=row.task_id, **value)
                assert answer["error"].startswith("task_write_declined: "), answer
                assert f"'{task.task_id}'" in answer["error"]
        return "done"

    assert turn(play, tools=[shift.board.board_id, "a.b.c"]).output == "done"


def test_settle__a_turn_about_no_row_presents_no_ticket(turn: Callable[..., Task], shift: Shift) -> None:
    beside = shift.ledger.file()
    turn(lambda hands, _: hands.use("cancelTask", taskId=beside.task_id), about_task=False)
    assert shift.ledger.see(beside).status == "cancelled"


def test_settle__with_a_ticket_that_was_lost(turn: Callable[..., Task], shift: Shift) -> None:
    def play(hands: Hands, task: Task) -> None:
        Task.objects.filter(pk=task.pk).update(claim_number=7, claimed_by="robin")
        answer = hands.use("completeTask", taskId=task.task_id, output=1)
        assert answer["error"].startswith("lost-claim: ")

    row = turn(play)
    assert (row.status, row.claimed_by) == ("in_progress", "robin")


def die(hands: Hands) -> None:
    """The worker dies before the end of its turn, and another has the run."""
    Request.objects.filter(pk=hands.turn.request.pk).update(status="pending", claimed_by="")
    raise RunLost


def test_add__once_however_often_the_turn_runs(turn: Callable[..., Task], shift: Shift) -> None:
    filed: list[str] = []

    def play(hands: Hands, task: Task) -> str:
        for goal in ("first", "second"):
            filed.append(hands.use("addTask", goal=goal, input={"n": 1})["taskId"])
        if len(filed) == 2:
            die(hands)
        return "done"

    task = turn(play)
    (request,) = shift.runs(task)
    assert try_run(request.uid)
    assert filed[:2] == filed[2:]
    assert [row.goal for row in Task.objects.exclude(pk=task.pk).order_by("pk")] == ["first", "second"]
    assert shift.ledger.see(task).output == "done"


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("mistake", [{"assignee": "nobody"}, {"deps": ["task_none"]}])
def test_add__after_a_refusal_that_may_not_come_again_is_one_row(
    turn: Callable[..., Task], shift: Shift, mistake: dict[str, Any], again: bool
) -> None:
    runs: list[str] = []

    def play(hands: Hands, task: Task) -> str:
        runs.append(task.task_id)
        if len(runs) == 1 or again:
            assert hands.use("addTask", goal="x", **mistake)["ok"] is False
        assert hands.use("addTask", goal="first")["ok"] is True
        if len(runs) == 1:
            die(hands)
        return "done"

    task = turn(play)
    (request,) = shift.runs(task)
    assert try_run(request.uid)
    assert [row.goal for row in Task.objects.exclude(pk=task.pk)] == ["first"]


def test_add__a_refusal_is_an_answer(turn: Callable[..., Task]) -> None:
    def play(hands: Hands, task: Task) -> None:
        with unwritten():
            answer = hands.use("addTask", goal="x", assignee="nobody")
        assert answer["error"].startswith("unknown_assignee: ")
        assert hands.use("listTasks")["tasks"][0]["id"] == task.task_id

    assert turn(play).status == "completed"


@pytest.mark.parametrize(
    ("change", "error"),
    [({"claimed_by": "another"}, RunLost), ({"abort_requested_at": "2026-01-01T00:00Z"}, RunAborted)],
)
def test_use__by_a_run_that_may_write_no_more(
    turn: Callable[..., Task], shift: Shift, change: dict[str, Any], error: type[Exception]
) -> None:
    def play(hands: Hands, task: Task) -> None:
        Request.objects.update(**change)
        with unwritten(), pytest.raises(error):
            hands.use("addTask", goal="late")
        raise error

    assert turn(play).status == "in_progress"
