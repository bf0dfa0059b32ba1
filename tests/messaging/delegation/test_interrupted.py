"""Workers that die in between: nothing is lost, nothing is done twice."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from boards.drains.draining import drain_board, drain_boards
from boards.models import Task
from messaging.delegation.models import HandOff
from tests.messaging.delegation.offices import Office, below, lines, texts
from tests.messaging.delegation.tasking import add, codes
from workforce import clock
from workforce.dispatch.run import try_run
from workforce.models import Request, Session


class Killed(BaseException):
    """The process is gone: nothing after this runs."""


def die(*_: Any, **__: Any) -> Any:
    raise Killed


def killed(request: Request) -> None:
    """Run the request in a worker that is killed on the way; its lease has lapsed."""
    with pytest.raises(Killed):
        try_run(request.uid)
    lapse()


def lapse() -> None:
    past = clock.now() - timedelta(seconds=1)
    Request.objects.filter(status="in_progress").update(lease_until=past)


@pytest.fixture
def talk(office: Office) -> Session:
    return office.lead("", "scout", kind="agent")


def test_filing__of_a_turn_that_runs_again_is_one_row(office: Office, talk: Session) -> None:
    office.script(
        "lead", [*add("One."), *add("Two.")], Killed(), [*add("One."), *add("Two.")], "Filed.", "Thanks."
    )
    request = office.say(talk, run=False)
    killed(request)
    assert Task.objects.count() == 2
    office.work()
    assert list(Task.objects.order_by("pk").values_list("goal", "status")) == [
        ("One.", "completed"), ("Two.", "completed"),
    ]  # fmt: skip
    assert len([1 for role, author, _ in lines(talk) if author == "scout"]) == 2


@pytest.mark.parametrize("again", [True, False])
@pytest.mark.parametrize(
    ("mistake", "code"),
    [
        (add(assignee="nobody"), "unknown_assignee"),
        (add(deps=["task_none"]), "unknown_dependency"),
        (add(followUpOf="task_none"), "task_not_found"),
        (add(followUpOf="task_none", assignee="scout"), "follow_up_takes_no_assignee"),
    ],
)
def test_filing__after_a_refusal_that_may_not_come_again_is_one_row(
    mistake: list[tuple[str, Any]], code: str, again: bool, office: Office, talk: Session
) -> None:
    office.script("lead", mistake, add(), Killed(), *[mistake] * again, add(), "Filed.", "Thanks.")
    killed(office.say(talk, run=False))
    office.work()
    task = Task.objects.get()
    assert codes(talk) == [code, "ok"]
    assert office.prompt("lead").count(task.task_id) == 1
    assert task.status == "completed"


def test_filing__of_a_follow_up_of_a_turn_that_runs_again_is_one_row(office: Office, talk: Session) -> None:
    office.script("lead", add(), "Filed.", "Thanks.")
    office.say(talk)
    first = Task.objects.get()
    follow = add("And then?", followUpOf=first.task_id)
    office.script("lead", "", "", "", follow, Killed(), follow, "Filed.", "Thanks.")
    killed(office.say(talk, run=False))
    office.work()
    assert list(Task.objects.order_by("pk").values_list("goal", flat=True)) == ["Find it.", "And then?"]


def test_filing__whose_call_for_workers_was_lost_is_found_by_the_sweep(office: Office, talk: Session) -> None:
    office.script("lead", add(), "Filed.", "Thanks.")
    office.run(office.say(talk, run=False))
    assert (drain_boards(), drain_boards()) == (1, 0)


def test_run__of_a_delegate_that_dies_is_run_again_and_heard_once(office: Office, talk: Session) -> None:
    office.script("lead", add(), "Filed.", "Thanks.")
    office.script("scout", Killed(), "Found.")
    office.run(office.say(talk, run=False))
    drain_board(Task.objects.get().board_id)
    killed(Request.objects.get(action="work"))
    office.work()
    assert (Task.objects.get().output, Task.objects.get().attempts) == ("Found.", 1)
    assert len([1 for role, author, _ in lines(talk) if author == "scout"]) == 1


@pytest.mark.parametrize(
    "place", ["boards.drains.ledger.complete_task", "workforce.workers.agent.finish_turn"]
)
def test_ending__is_owed_with_the_settlement_or_not_at_all(
    place: str, office: Office, talk: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.script("lead", add(), "Filed.", "Thanks.")
    office.run(office.say(talk, run=False))
    drain_board(Task.objects.get().board_id)
    with monkeypatch.context() as patch:
        patch.setattr(place, die)
        killed(Request.objects.get(action="work"))
    assert Task.objects.get().status == "in_progress"
    assert not Request.objects.filter(action="onTaskSettled").exists()
    office.work()
    assert Task.objects.get().status == "completed"
    assert Request.objects.filter(action="onTaskSettled").count() == 1


def test_ending__whose_turn_dies_is_read_again_and_shown_once(office: Office, talk: Session) -> None:
    office.script("lead", add(), "Filed.", Killed(), "Thanks.")
    office.run(office.say(talk, run=False))
    drain_board(Task.objects.get().board_id)
    office.run(Request.objects.get(action="work"))
    killed(Request.objects.get(action="onTaskSettled"))
    office.work()
    assert texts(talk)[1:] == ["Filed.", texts(talk)[2], "Thanks."]


def test_row__whose_workers_die_three_times_over_is_heard(office: Office, talk: Session) -> None:
    office.script("lead", add(), "Filed.", "A pity.")
    office.script("scout", Killed())
    office.run(office.say(talk, run=False))
    board = Task.objects.get().board_id
    for _ in range(60):
        drain_board(board)
        for request in Request.objects.filter(action="work", status__in=Request.UNFINISHED):
            try:
                try_run(request.uid)
            except Killed:
                lapse()
        Task.objects.filter(status="in_progress").update(lease_until=clock.now() - timedelta(seconds=1))
        if Task.objects.get().status == "errored":
            break
    office.work()
    assert Task.objects.get().status == "errored"
    assert len([1 for role, author, _ in lines(talk) if author == "scout"]) == 1


def test_hand_off__of_a_plan_that_dies_is_made_once(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = office.lead("everyone", "scout", "clerk")
    request = office.say(talk, run=False)
    with monkeypatch.context() as patch:
        patch.setattr("messaging.delegation.services.handing._run", die)
        killed(request)
    assert not HandOff.objects.exists()
    office.work()
    assert sorted(lines(talk)[1:]) == [
        ("worker", "clerk", "clerk did it."),
        ("worker", "scout", "scout did it."),
    ]
    assert texts(talk).count("What is the capital of France?") == 1


def test_answer__of_a_delegate_that_dies_lands_once(office: Office) -> None:
    talk = office.lead("everyone", "scout")
    office.script("scout", Killed(), "Found.")
    office.run(office.say(talk, run=False))
    killed(Request.objects.get(action="onDelegatedPost"))
    office.work()
    assert texts(talk)[1:] == ["Found."]
    assert texts(below(talk, "scout")) == ["ada, through lead: What is the capital of France?", "Found."]
