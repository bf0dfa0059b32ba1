"""What two do at the same moment, on PostgreSQL."""

from __future__ import annotations

from functools import partial

from django.db import transaction
from django.test import override_settings

from boards.drains.draining import drain_board
from boards.hands import Hand
from boards.models import Board, Task
from boards.services.filing import NewTask, file_task
from boards.services.settling import cancel_task, complete_task
from messaging.delegation.board.filing import file_for_delegate
from messaging.delegation.errors import TotalTaskCapExceeded
from messaging.delegation.models import FiledTask, HandOff, Round
from messaging.delegation.selectors.delegates import Delegates, seats_named
from messaging.delegation.services.handing import claim_turn
from messaging.delegation.services.landing import close_late_rounds, give_up_lost
from tests.messaging.delegation.offices import Office, ask, handed, lines, routes
from tests.racing import ON_POSTGRESQL, at_once
from workforce import clock
from workforce.dispatch.run import run_queue, try_run
from workforce.models import Request, Seat, Session

pytestmark = ON_POSTGRESQL


def claim_once(session: Session) -> str | None:
    with transaction.atomic():
        return claim_turn(session, ["scout", "clerk"], ["scout", "clerk"])


def test_round_robin__two_claims_at_once_go_to_two_delegates(office: Office) -> None:
    talk = office.lead("round-robin", "scout", "clerk")
    for _ in range(10):
        claims = at_once(*[partial(claim_once, talk)] * 2)
        assert sorted(map(str, claims)) == ["clerk", "scout"]


def test_round_robin__two_posts_at_once_go_to_two_delegates(office: Office) -> None:
    talk = office.lead("round-robin", "scout", "clerk")
    requests = [office.say(talk, run=False) for _ in range(2)]
    at_once(*[partial(run_queue, request.uid) for request in requests])
    office.work()
    assert sorted(handed(route) for route in routes(talk)) == [["clerk"], ["scout"]]
    assert HandOff.objects.filter(status="answered").count() == 2


def test_answer__two_at_once_land_one(office: Office) -> None:
    talk = office.lead("everyone", "scout")
    office.run(office.say(talk, run=False))
    token = str(HandOff.objects.get().token)
    requests = [ask(talk, "onDelegateAnswer", {"token": token, "text": f"{n}"}) for n in range(2)]
    at_once(*[partial(try_run, request.uid) for request in requests])
    while any(try_run(request.uid) for request in requests):
        pass
    assert len([line for line in lines(talk) if line[0] == "worker"]) == 1
    assert sorted(Request.objects.filter(uid__in=[r.uid for r in requests]).values_list("status", flat=True)) == [
        "completed", "failed",
    ]  # fmt: skip


def test_rounds__two_sweeps_and_the_last_answer_at_once_go_on_once(office: Office) -> None:
    talk = office.lead("everyone", "scout", "clerk", rounds=1)
    office.run(office.say(talk, run=False))
    first, last = HandOff.objects.all()
    office.run(ask(talk, "onDelegateAnswer", {"token": str(first.token), "text": "One."}))
    Round.objects.update(deadline=clock.now())
    answer = ask(talk, "onDelegateAnswer", {"token": str(last.token), "text": "Two."})
    at_once(close_late_rounds, close_late_rounds, partial(try_run, answer.uid))
    assert Request.objects.filter(action="onRound").count() == 1


def test_sweeps__two_at_once_give_up_once(office: Office) -> None:
    talk = office.lead("everyone", "scout")
    office.run(office.say(talk, run=False))
    Request.objects.filter(action="onDelegatedPost").update(status="aborted")
    at_once(give_up_lost, give_up_lost)
    assert Request.objects.filter(action="onDelegateAnswer").count() == 1


def file_once(office: Office, talk: Session, number: int) -> str:
    """File a row as a turn in the conversation does it, in a transaction of its own."""
    with transaction.atomic():
        session = (
            Session.objects.select_for_update(no_key=True, of=("self",))
            .select_related("owner")
            .get(pk=talk.pk)
        )
        delegates = Delegates(("scout",), seats=seats_named(session, ["scout"]))
        new = NewTask(f"Task {number}.", origin_key=f"k{number}")
        return file_for_delegate(session=session, by=Hand("ada"), delegates=delegates, new=new).task_id


def test_caps__are_exact_between_parallel_branches(office: Office) -> None:
    with override_settings(TASK_CHAIN_LIMIT=5):
        talk = office.lead("", "scout", kind="agent")
        file_once(office, talk, 0)
        top = FiledTask.objects.get()
        board = Task.objects.get().board
        seat = Seat.objects.get(seat_id="scout")
        drain_board(board.pk)
        branches = [Session.objects.get(parent=talk, seat=seat)]
        for number in range(3):  # further sessions below the same top, as its pieces have them
            task = file_task(board=board, by=Hand("ada"), new=NewTask("x", assignee="scout"))
            FiledTask.objects.create(task=task, top=top, depth=2)
            topic = f"task:{task.task_id}"
            branches.append(office.conversation(seat, f"branch-{number}", parent=talk, topic=topic))
        calls = [
            partial(file_once, office, branch, 10 * n + i)
            for n, branch in enumerate(branches)
            for i in range(3)
        ]
        results = at_once(*calls)
    assert len([one for one in results if isinstance(one, str)]) == 5
    assert {type(one) for one in results} == {str, TotalTaskCapExceeded}
    top.refresh_from_db()
    assert top.under == 5


def test_drain__two_at_once_hand_each_row_over_once(office: Office) -> None:
    talk = office.lead("", "scout", kind="agent")
    for number in range(6):
        file_once(office, talk, number)
    board = Board.objects.get()
    at_once(*[partial(drain_board, board.pk)] * 3)
    assert Request.objects.filter(action="work").count() == 6
    office.work()
    assert set(Task.objects.values_list("status", flat=True)) == {"completed"}
    assert Request.objects.filter(action="onTaskSettled").count() == 6


def test_ending__by_two_at_once_is_heard_once(office: Office) -> None:
    talk = office.lead("", "scout", kind="agent")
    file_once(office, talk, 0)
    task = Task.objects.get()
    drain_board(task.board_id)
    settle = {"board": task.board, "task_id": task.task_id, "by": Hand("ada")}
    work = Request.objects.get(action="work")
    at_once(
        partial(complete_task, **settle, output="mine"),
        partial(cancel_task, **settle),
        partial(try_run, work.uid),
    )
    row = Task.objects.get()
    assert row.status in ("completed", "cancelled")
    assert Request.objects.filter(action="onTaskSettled").count() == (row.status == "completed")


def test_hand_over__and_a_turn_of_the_filer_at_once_do_not_wait_for_each_other(office: Office) -> None:
    talk = office.lead("", "scout", kind="agent")
    file_once(office, talk, 0)
    board = Board.objects.get()
    for number in range(1, 8):
        results = at_once(partial(file_once, office, talk, number), partial(drain_board, board.pk))
        assert not [one for one in results if isinstance(one, Exception)]
    office.work()
    assert set(Task.objects.values_list("status", flat=True)) == {"completed"}
