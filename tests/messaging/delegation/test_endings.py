"""Every ending of a delegate's task comes back to its filer."""

from __future__ import annotations

from typing import Any

import pytest

from boards.drains.draining import drain_board
from boards.models import Board, Task
from boards.services.settling import cancel_task, complete_task, fail_task
from messaging.delegation.models import FiledTask
from tests.boards.ledgers import ADA
from tests.messaging.delegation.offices import Office, lines, texts
from tests.messaging.delegation.tasking import add, row, tell
from workforce import clock
from workforce.models import Request, Seat, Session


class TestEndings:
    def test_failure__is_run_again_once_in_silence_and_then_heard(
        self, office: Office, talk: Session
    ) -> None:
        office.script("lead", add(), "Filed.", "A pity.")
        office.script("scout", "")
        office.say(talk)
        task = row()
        assert (task.status, task.attempts) == ("errored", 2)
        told = [text for _, author, text in lines(talk) if author == "scout"]
        assert len(told) == 1
        assert told[0].startswith(f'Task "Find it." ({task.task_id}) failed for good: empty-answer:')
        assert Session.objects.filter(parent=talk).count() == 1

    def test_failure__that_the_second_run_mends_is_heard_as_completed(
        self, office: Office, talk: Session
    ) -> None:
        office.script("lead", add(), "Filed.", "Thanks.")
        office.script("scout", "", "Found.")
        office.say(talk)
        assert [text for _, author, text in lines(talk) if author == "scout"] == [
            f'Task "Find it." ({row().task_id}) was completed: Found.'
        ]

    def test_cancel__is_not_announced_and_the_result_counts_for_nothing(
        self, office: Office, talk: Session
    ) -> None:
        office.script("lead", add(), "Filed.")
        office.run(office.say(talk, run=False))
        drain_board(row().board_id)
        cancel_task(board=row().board, task_id=row().task_id, by=ADA, reason="not needed")
        office.work()
        assert (row().status, row().output) == ("cancelled", None)
        assert not Request.objects.filter(action="onTaskSettled").exists()

    @pytest.mark.parametrize(
        ("settle", "words"), [(complete_task, "was completed: 7"), (fail_task, "failed for good: 7")]
    )
    def test_ending__by_somebody_else_is_heard(
        self, settle: Any, words: str, office: Office, talk: Session
    ) -> None:
        office.script("lead", add(), "Filed.", "Thanks.")
        office.run(office.say(talk, run=False))
        drain_board(row().board_id)
        Task.objects.update(max_attempts=None)
        settle(
            board=row().board,
            task_id=row().task_id,
            by=ADA,
            **{"output": 7} if settle is complete_task else {"error": "7"},
        )
        office.work()
        assert texts(talk)[2].endswith(words)

    def test_ending__that_the_filer_brought_about_is_not_told_to_it(
        self, office: Office, talk: Session
    ) -> None:
        office.script("lead", add(), "Filed.")
        office.run(office.say(talk, run=False))
        drain_board(row().board_id)
        office.script("lead", "", "", tell("completeTask", taskId=row().task_id, output="mine"), "Done.")
        office.run(office.say(talk, run=False))
        assert (row().status, row().output) == ("completed", "mine")
        assert not Request.objects.filter(action="onTaskSettled").exists()

    def test_worker__fired_before_its_run_is_heard_as_a_failure(self, office: Office, talk: Session) -> None:
        office.script("lead", add(), "Filed.", "A pity.")
        office.run(office.say(talk, run=False))
        Seat.objects.filter(seat_id="scout").update(retired_at=clock.now())
        office.work()
        assert row().status == "errored"
        assert "failed for good: worker-unavailable: 'scout' is not hired any more" in texts(talk)[2]

    def test_worker__fired_between_the_hand_over_and_the_run_is_heard_too(
        self, office: Office, talk: Session
    ) -> None:
        office.script("lead", add(), "Filed.", "A pity.")
        office.run(office.say(talk, run=False))
        drain_board(row().board_id)
        Seat.objects.filter(seat_id="scout").update(retired_at=clock.now())
        office.work()
        assert "failed for good: worker-unavailable" in texts(talk)[2]

    def test_delegate__taken_off_the_list_still_ends_what_it_was_given(
        self, office: Office, talk: Session
    ) -> None:
        office.script("lead", add(), "Filed.", "Thanks.")
        office.run(office.say(talk, run=False))
        seat = Seat.objects.get(seat_id="lead")
        seat.settings = {**seat.settings, "delegates": []}
        seat.save()
        office.work()
        assert row().status == "completed"
        assert texts(talk)[-1] == "Thanks."

    def test_run__that_was_abandoned_or_aborted_is_heard(self, office: Office, talk: Session) -> None:
        office.script("lead", add(), "Filed.", "A pity.")
        office.run(office.say(talk, run=False))
        for _ in range(2):
            drain_board(row().board_id)
            Request.objects.filter(action="work").exclude(status="aborted").update(status="aborted")
        office.work()
        assert "failed for good: its run was aborted" in texts(talk)[2]

    def test_ending__of_round_robin_is_a_line_and_no_turn(self, office: Office) -> None:
        from boards.hands import Hand
        from boards.services.filing import NewTask
        from messaging.delegation.board.filing import file_for_delegate
        from messaging.delegation.selectors.delegates import Delegates, seats_named

        talk = office.lead("round-robin", "scout")
        delegates = Delegates(("scout",), seats=seats_named(talk, ["scout"]))
        file_for_delegate(session=talk, by=Hand("ada"), delegates=delegates, new=NewTask("Find it."))
        office.work()
        assert [(role, author) for role, author, _ in lines(talk)] == [("user", "scout")]
        assert "lead" not in office.asked

    def test_ending__of_a_coordinator_by_judgment_wakes_it(self, office: Office) -> None:
        talk = office.lead("judgment", "scout")
        office.script("lead", add(), "Filed.", "Thanks.")
        office.say(talk)
        assert texts(talk)[-1] == "Thanks."
        assert "A task that you filed for scout was completed:" in office.prompt("lead")

    def test_ending__with_a_long_output_is_cut_in_the_line(self, office: Office, talk: Session) -> None:
        office.script("lead", add("g" * 500), "Filed.", "Thanks.")
        office.script("scout", "x" * 9_000)
        office.say(talk)
        assert len(row().output) == 9_000
        assert 8_000 < len(texts(talk)[2]) < 8_400

    def test_conversation__that_is_deleted_takes_its_board_along(self, office: Office, talk: Session) -> None:
        office.script("lead", add(), "Filed.")
        office.run(office.say(talk, run=False))
        drain_board(row().board_id)
        assert office.owner.api.call("DELETE", f"/api/sessions/{talk.address}").status_code == 204
        assert not Board.objects.exists() and not Task.objects.exists() and not FiledTask.objects.exists()
        office.work()
