"""An external seat as a delegate that takes tasks: the row reaches its agent, and the reply ends it."""

from __future__ import annotations

from typing import Any

import pytest

from boards.drains.conversations import conversations_with_work
from boards.models import Task
from messaging.external.models import OutsideItem
from messaging.external.services.watching import give_up_unreachable
from tests.messaging.delegation.offices import texts
from tests.messaging.delegation.tasking import add, codes, outputs, row, tell
from tests.messaging.external.conftest import SEAT, Desk, shown
from workforce import clock
from workforce.dispatch.run import try_run
from workforce.models import Request, Seat, Session

pytestmark = pytest.mark.django_db


class TestTelling:
    def test_row__reaches_the_agents_inbox_and_is_held_for_it(self, filed: Desk) -> None:
        assert codes(filed.talk) == ["ok"]
        item, task = filed.item(), row()
        assert (item["type"], item["topic"], item["sender"]) == ("request", "task", "workforce")
        payload = item["payload"]
        assert "Reply to this message to settle it" in payload.pop("how")
        assert payload == {
            "taskId": task.task_id, "from": "lead", "goal": "Find it.", "input": {"shelf": 3}, "attempt": 1,
        }  # fmt: skip
        assert (task.status, task.claimed_by, task.lease_until, task.attempts) == (
            "in_progress",
            SEAT,
            None,
            1,
        )

    def test_row__waits_without_limit_and_is_told_once(self, filed: Desk) -> None:
        Request.objects.filter(action="work").update(status="pending", attempts=0)
        filed.office.work()
        clock_is_late = clock.now().replace(year=2999)
        assert conversations_with_work(clock_is_late) == []
        assert (len(filed.items()), row().attempts, OutsideItem.objects.count()) == (1, 1, 1)
        assert give_up_unreachable() == 0

    def test_delegate__is_listed_as_one_that_takes_both(self, filed: Desk) -> None:
        assert f"- {SEAT}: Answers for orders." in filed.office.tools("lead", 0)["addTask_tasks"].description

    def test_row__held_by_the_agent_keeps_its_assignee(self, filed: Desk) -> None:
        filed.office.hire("scout")
        Seat.objects.filter(seat_id="lead").update(
            settings={"model": "office:lead", "delegates": [SEAT, "scout"]}
        )
        filed.office.script("lead", "", "", tell("assignTask", taskId=row().task_id, assignee="scout"), "No.")
        filed.office.say(filed.talk)
        assert codes(filed.talk, "assignTask") == ["task_write_declined"]
        assert row().assignee == SEAT


class TestReplies:
    @pytest.mark.parametrize(
        ("payload", "output"),
        [
            ("Seven.", "Seven."),
            ({"text": "Seven.", "confidence": 1}, "Seven."),
            ({"output": {"count": 7}}, {"count": 7}),
            ({"output": None}, None),
        ],
    )
    def test_reply__is_the_output_and_comes_back_to_the_filer(
        self, payload: Any, output: Any, filed: Desk
    ) -> None:
        filed.reply(payload)
        task = row()
        assert (task.status, task.output, task.attempts) == ("completed", output, 1)
        assert len(filed.heard()) == 1
        assert filed.heard()[0].startswith(f'Task "Find it." ({task.task_id}) was completed: ')
        assert texts(filed.talk)[-1] == "Thanks."
        event = task.events.get(kind="completed")
        assert (event.seat, event.passname) == (SEAT, "wren")
        assert filed.refused() == []

    def test_reply__is_shown_in_the_tasks_session(self, filed: Desk) -> None:
        filed.reply("Seven.")
        place = Session.objects.get(parent=filed.talk, seat__seat_id=SEAT)
        assert place.topic == f"task:{row().task_id}"
        assert shown(place) == [("user", f"Task {row().task_id}: Find it."), ("assistant", "Seven.")]

    @pytest.mark.parametrize("payload", ["Seven.", {"output": {"count": 7}}, {"question": "Which one?"}])
    def test_same_reply__again_changes_nothing(self, payload: Any, filed: Desk) -> None:
        item = filed.item()
        filed.reply(payload, to=item)
        before = (row().revision, filed.heard(), shown(Session.objects.get(parent=filed.talk)))
        filed.agent.send(payload, type="message", topic=..., replyingTo=item["id"], allowDuplicate=True)
        filed.office.work()
        assert (row().revision, filed.heard(), shown(Session.objects.get(parent=filed.talk))) == before
        assert filed.refused() == []

    def test_error__is_told_again_once_and_then_fails_the_row_for_good(self, filed: Desk) -> None:
        filed.reply({"error": "The shelf is gone."})
        assert (row().status, row().attempts, filed.heard()) == ("in_progress", 2, [])
        first, second = filed.items()
        assert second["payload"]["feedback"] == "The shelf is gone."
        assert ("closedAt" in first, "closedAt" in second) == (True, False)
        filed.reply({"error": "Still gone."}, to=second)
        assert (row().status, row().error) == ("errored", "Still gone.")
        assert [text.partition("failed for good: ")[2] for text in filed.heard()] == ["Still gone."]

    def test_question__is_heard_and_its_answer_comes_as_a_new_item(self, filed: Desk) -> None:
        filed.office.script(
            "lead", "", "", "Let me see.", tell("answerTask", taskId=row().task_id, answer="The blue one."), "Told.",
            "Thanks.",
        )  # fmt: skip
        filed.reply({"question": "Which one?"})
        assert (row().status, row().feedback) == ("parked", "Which one?")
        filed.office.say(filed.talk)
        item = filed.items()[-1]
        assert (item["payload"]["feedback"], item["payload"]["attempt"]) == ("The blue one.", 1)
        filed.reply("Seven.", to=item)
        assert (row().status, row().output) == ("completed", "Seven.")
        assert Session.objects.filter(parent=filed.talk, seat__seat_id=SEAT).count() == 1

    @pytest.mark.parametrize(
        "payload",
        [None, 7, [], {}, "", " \n", {"text": ""}, {"text": 1}, {"error": " "}, {"question": 1},
         {"body": "x"}, {"text": "x", "error": "y"}],
    )  # fmt: skip
    def test_reply__that_settles_nothing_is_refused_and_the_row_waits_on(
        self, payload: Any, filed: Desk
    ) -> None:
        filed.reply(payload)
        assert filed.refused() == ["no-answer-text"]
        assert (row().status, row().output, filed.heard()) == ("in_progress", None, [])
        filed.reply("Seven.")
        assert row().status == "completed"

    @pytest.mark.parametrize("payload", [{"output": "x" * 262_150}, {"question": "x" * 32_769}])
    def test_reply__larger_than_a_row_keeps_is_refused(
        self, payload: Any, filed: Desk, settings: Any
    ) -> None:
        settings.INBOX_MAX_PAYLOAD = 400_000
        filed.reply(payload)
        assert (filed.refused(), row().status) == (["invalid-input"], "in_progress")

    def test_second_reply__is_done_already_when_it_says_the_same_and_refused_otherwise(
        self, filed: Desk
    ) -> None:
        item = filed.item()
        filed.reply("Seven.", to=item)
        filed.reply("Seven.", to=item)
        assert filed.refused() == []
        filed.reply("Eight.", to=item)
        assert filed.refused() == ["nothing-to-answer"]
        assert (row().output, len(filed.heard())) == ("Seven.", 1)

    def test_reply__to_the_item_of_an_earlier_attempt_is_refused(self, filed: Desk) -> None:
        item = filed.item()
        filed.reply({"error": "Gone."}, to=item)
        filed.reply("Seven.", to=item)
        assert (filed.refused(), row().status) == (["nothing-to-answer"], "in_progress")

    def test_every_run__may_be_repeated(self, filed: Desk) -> None:
        filed.reply("Seven.")
        before = (row().revision, filed.heard(), OutsideItem.objects.count(), len(filed.items()))
        for request in Request.objects.filter(session__seat__seat_id=SEAT):
            Request.objects.filter(pk=request.pk).update(status="pending", attempts=0)
            assert try_run(request.uid)
        filed.office.work()
        assert (row().revision, filed.heard(), OutsideItem.objects.count(), len(filed.items())) == before


class TestFollowing:
    def test_follow_up__goes_on_in_the_same_session(self, filed: Desk) -> None:
        filed.reply("Seven.")
        filed.office.script(
            "lead", "", "", "", add("And the other shelf?", followUpOf=row().task_id), "Filed.", "Thanks."
        )
        filed.office.say(filed.talk)
        item = filed.items()[-1]
        filed.reply("Nine.", to=item)
        assert [task.output for task in Task.objects.order_by("pk")] == ["Seven.", "Nine."]
        assert Session.objects.filter(parent=filed.talk, seat__seat_id=SEAT).count() == 1

    def test_two_rows__are_both_told_at_once(self, desk: Desk) -> None:
        desk.office.script("lead", [*add("One."), *add("Two.")], "Filed.", "Thanks.")
        desk.talk = desk.office.lead("", SEAT, kind="agent")
        desk.office.say(desk.talk)
        assert [item["payload"]["goal"] for item in desk.items()] == ["One.", "Two."]
        assert len(outputs(desk.talk)) == 2
