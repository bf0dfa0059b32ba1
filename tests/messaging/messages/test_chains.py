"""Chains: everything that descends from one line of a user has one count, and the count ends it."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from boards.drains.draining import drain_board
from boards.models import Board, Task
from boards.services.staffing import settle_workers
from messaging.models import Chain
from tests.conftest import Mailbox
from tests.messaging.messages.office import Office, to
from tests.racing import ON_POSTGRESQL, at_once
from workforce.models import Request, Seat


def hops(office: Office) -> list[int]:
    return [message.hop for message in office.log()]


def forever(office: Office, *ring: str) -> None:
    """Each passes everything on to the next, for as long as it may."""
    for worker_id, next_one in zip(ring, [*ring[1:], ring[0]], strict=True):
        office.hire(worker_id, lambda prompt, next_one=next_one: to(next_one, "Over to you."))


def passing(office: Office, ring: tuple[str, ...]) -> None:
    """As ``forever``, but each ends its turn once it has sent, or was told that it may not."""

    def reply(state: dict[str, int], next_one: str, prompt: str) -> Any:
        state["calls"] += 1
        return to(next_one, "Over to you.") if state["calls"] % 2 else "I passed it on."

    for worker_id, next_one in zip(ring, [*ring[1:], ring[0]], strict=True):
        office.hire(worker_id, partial(reply, {"calls": 0}, next_one))


@pytest.mark.parametrize("ring", [("ann", "ben"), ("ann", "ben", "cid")])
def test_ring__that_would_go_on_forever_is_stopped_in_words(ring: tuple[str, ...], office: Office) -> None:
    passing(office, ring)
    office.say("ann")
    assert hops(office) == [1, 2, 3, 4, 5, 6]
    assert {message.chain_uid for message in office.log()} == {Request.objects.get(action="run").uid}
    assert {output["error"] for worker in ring for output in office.outputs(worker) if "error" in output} == {
        "hop_limit: this chain of messages has 6, which is the most; stop passing on, and say so in your answer"
    }
    assert not Request.objects.filter(status="failed").exists()


def test_answers__that_go_on_forever_are_stopped(office: Office) -> None:
    """By final texts alone an exchange ends; by the tool it is the count that ends it."""
    passing(office, ("ann", "ben"))
    office.say("ann")
    assert Chain.objects.get().count == 6


def test_model__that_never_stops_asking_is_stopped_by_its_turn(office: Office, settings: Any) -> None:
    settings.TURN_TOOL_CALLS = 8
    forever(office, "ann", "ben")
    office.say("ann")
    assert hops(office) == [1, 2, 3, 4, 5, 6]
    assert not Request.objects.filter(Request.IS_UNFINISHED).exists()


def test_fan_out__shares_one_count(office: Office) -> None:
    for worker_id in ("ben", "cid", "dan"):
        office.hire(worker_id, to("ann", "What is it?"), "Asked back.")
    office.hire("ann", [*to("ben"), *to("cid"), *to("dan")], "Asked.", "Later.")
    office.say("ann")
    assert hops(office) == [1, 2, 3, 4, 5, 6]
    assert Chain.objects.get().count == 6


def test_next_line__starts_a_new_chain(office: Office) -> None:
    office.hire("ben", "")
    office.hire("ann", to("ben"), "Asked.", to("ben"), "Asked.")
    first, second = office.say("ann"), office.say("ann")
    assert [(message.chain_uid, message.hop) for message in office.log()] == [(first.uid, 1), (second.uid, 1)]


def test_message__with_no_line_behind_it_starts_a_chain(office: Office) -> None:
    office.hire("ann")
    office.hire("ben")
    turn = office.turn("ann", chain_uid=None, source="system")
    office.send(turn, "ben")
    office.run()
    assert {message.chain_uid for message in office.log()} == {turn.request.uid}
    assert hops(office) == [1, 2]


def test_per_turn__is_counted_by_turn(office: Office) -> None:
    office.hire("ann")
    office.hire("ben", "")
    turn = office.turn("ann")
    answers = [office.send(turn, "ben") for _ in range(4)]
    assert ["sent" in answer for answer in answers] == [True, True, True, False]
    assert answers[3]["error"].startswith("per_turn_limit: this turn has sent 3 messages, and 3 is the most")
    again = office.turn("ann", chain_uid=turn.request.chain_uid)
    assert office.send(again, "ben")["hopsLeft"] == 2


def test_limits__are_the_setting_s(office: Office, settings: Any) -> None:
    settings.WORKER_MESSAGES = {"hop_limit": 2, "per_turn": 1}
    office.hire("ann")
    office.hire("ben", "")
    turn = office.turn("ann")
    assert office.send(turn, "ben")["hopsLeft"] == 1
    assert office.send(turn, "ben")["error"].startswith("per_turn_limit: this turn has sent 1")
    again = office.turn("ann", chain_uid=turn.request.chain_uid)
    assert office.send(again, "ben")["hopsLeft"] == 0
    last = office.turn("ann", chain_uid=turn.request.chain_uid)
    assert office.send(last, "ben")["error"].startswith("hop_limit: this chain of messages has 2")


class TestTasks:
    """A row goes on with the chain of the turn that filed it, and so does what its worker sends."""

    @pytest.fixture
    def board(self, office: Office, mailbox: Mailbox) -> Board:
        mailbox("support.help", members=["ann"])
        return Board.objects.create(
            organization=office.organization,
            board_id="support.help.todo",
            mailbox_id="support.help",
            name="todo",
        )

    def drain(self, office: Office, board: Board, worker_id: str) -> None:
        seat = Seat.objects.get(seat_id=worker_id)
        seat.settings = {**seat.settings, "drains": [board.board_id]}
        seat.save(update_fields=["settings"])
        settle_workers(organization=office.organization, drains={board.board_id: [worker_id]})
        while drain_board(board.pk) + office.run():
            pass

    @pytest.mark.parametrize(
        ("tool", "given"),
        [
            ("file-task", {"mailbox": "support.help", "board": "todo", "goal": "Look it up."}),
            ("addTask_support_help_todo", {"goal": "Look it up."}),
        ],
    )
    def test_filed_by_a_turn__goes_on_with_its_chain(
        self, tool: str, given: dict[str, Any], office: Office, board: Board
    ) -> None:
        office.hire(
            "ann",
            [(tool, given)],
            *("Filed.", "Thanks."),
            settings={"model": "test:ann", "tools": ["file-task"], "boardTools": [board.board_id]},
        )
        office.hire("ben", to("ann", "Which one?"), "Done.", "Good.")
        line = office.say("ann")
        self.drain(office, board, "ben")
        assert Task.objects.get().chain_uid == line.uid
        assert Request.objects.get(action="work").chain_uid == line.uid
        assert [(m.sender, m.chain_uid, m.hop) for m in office.log()] == [
            ("ben", line.uid, 1),
            ("ann", line.uid, 2),
        ]
        # ann's answer reached ben in its own conversation, not in the task's
        assert office.log()[1].to_session == office.own("ben")

    def test_filed_by_a_user__begins_one(self, office: Office, board: Board) -> None:
        office.hire("ben", "Done.")
        from boards.services.filing import NewTask, file_task
        from tests.boards.ledgers import ADA

        file_task(board=board, by=ADA, new=NewTask(goal="Look it up."))
        self.drain(office, board, "ben")
        request = Request.objects.get(action="work")
        assert request.chain_uid == request.uid

    def test_messages__are_no_tasks(self, office: Office, board: Board) -> None:
        office.hire("ben", "")
        office.hire("ann", to("ben"), "Asked.")
        office.say("ann")
        assert not Task.objects.exists()


def test_post__wakes_turns_of_its_chain(office: Office, mailbox: Mailbox) -> None:
    from tests.workforce.admin.conftest import post

    office.hire("cid", "")
    office.hire("ann", to("cid"), "Asked.", "")
    line = post(mailbox("support.help", members=["ann"]), "Who opens the door?")
    office.run()
    [message] = office.log()
    assert message.chain_uid == line.uid


@pytest.mark.parametrize("fixture", [pytest.param(None, marks=ON_POSTGRESQL)])
class TestAtOnce:
    def test_parallel_branches__share_the_count(self, fixture: None, office: Office) -> None:
        office.hire("ben", "")
        for number in range(20):
            office.hire(f"w{number}")
        line = office.turn("w0").request
        turns = [office.turn(f"w{number}", chain_uid=line.uid) for number in range(20)]
        answers = at_once(*[partial(office.send, turn, "ben") for turn in turns])
        sent = [answer for answer in answers if "sent" in answer]
        assert len(sent) == 6, answers
        assert sorted(answer["hopsLeft"] for answer in sent) == [0, 1, 2, 3, 4, 5]
        assert all(answer["error"].startswith("hop_limit: ") for answer in answers if answer not in sent)
        assert Chain.objects.get().count == 6
        assert sorted(hops(office)) == [1, 2, 3, 4, 5, 6]
        assert Request.objects.filter(action="onWorkerMessage").count() == 6

    @pytest.mark.parametrize("together", [True, False])
    def test_ring_of_three__in_parallel_is_stopped_by_its_chains(
        self, fixture: None, together: bool, office: Office
    ) -> None:
        """Three lines at once, or three branches of one, each passed around by workers that run side by side."""
        ring = ("ann", "ben", "cid")
        passing(office, ring)
        lines = [office.say(worker_id, run=False) for worker_id in ring]
        if together:
            Request.objects.filter(pk__in=[line.pk for line in lines]).update(chain_uid=lines[0].uid)
        workers = at_once(*[office.run] * 3)
        office.run()
        assert not [one for one in workers if isinstance(one, BaseException)], workers
        for chain in Chain.objects.all():
            numbers = sorted(one.hop for one in office.log() if one.chain_uid == chain.uid)
            assert numbers == [1, 2, 3, 4, 5, 6]
        assert Chain.objects.count() == (1 if together else 3)
        read = Request.objects.filter(action="onWorkerMessage")
        assert read.count() == len(office.log())
        assert not Request.objects.exclude(status="completed").exists()

    def test_first_messages__open_one_conversation(self, fixture: None, office: Office) -> None:
        office.hire("ben", "")
        for number in range(8):
            office.hire(f"w{number}")
        turns = [office.turn(f"w{number}") for number in range(8)]
        answers = at_once(*[partial(office.send, turn, "ben") for turn in turns])
        assert all("sent" in answer for answer in answers), answers
        assert {message.to_session for message in office.log()} == {office.own("ben")}

    def test_workers_that_write_to_each_other__never_wait_for_each_other(
        self, fixture: None, office: Office
    ) -> None:
        names = [f"w{number}" for number in range(6)]
        for name in names:
            office.hire(name)
        pairs = [(one, other) for one in names for other in names if one != other]
        turns = [(office.turn(one), other) for one, other in pairs]
        answers = at_once(*[partial(office.send, turn, other) for turn, other in turns])
        assert all("sent" in answer for answer in answers), answers
