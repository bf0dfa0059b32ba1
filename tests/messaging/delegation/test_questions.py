"""A delegate's question is answered, and a task followed up, in the same session."""

from __future__ import annotations

from typing import Any

import pytest

from boards.drains.conversations import conversations_with_work
from boards.models import Task
from boards.services.claiming import claim_next
from boards.services.settling import answer_task, cancel_task, reclaim_task
from tests.boards.ledgers import ADA
from tests.messaging.delegation.offices import Office, Reply, below, texts
from tests.messaging.delegation.tasking import add, codes, row, tell
from workforce import clock
from workforce.models import Seat, Session


class TestQuestions:
    def ask(self, question: str = "Which one?") -> list[tuple[str, Any]]:
        return [("parkOnQuestion", {"question": question})]

    def start(self, office: Office, talk: Session, *replies: Reply) -> Task:
        office.script("lead", add(), "Filed.", *replies)
        office.script("scout", self.ask(), "I asked.", "The blue one it is.")
        office.say(talk)
        return row()

    def test_park__is_heard_and_the_turns_own_text_is_not_kept(self, office: Office, talk: Session) -> None:
        task = self.start(office, talk, "Let me see.")
        assert (task.status, task.output, task.feedback) == ("parked", None, "Which one?")
        assert texts(talk)[2] == f'Task "Find it." ({task.task_id}) waits for an answer: Which one?'
        assert "answerTask_tasks" in office.prompt("lead")
        assert conversations_with_work(clock.now()) == []

    def test_answer__goes_on_in_the_same_session(self, office: Office, talk: Session) -> None:
        task = self.start(office, talk, "Let me see.")
        office.script(
            "lead",
            "",
            "",
            "",
            tell("answerTask", taskId=task.task_id, answer="The blue one."),
            "Told.",
            "Good.",
        )
        office.say(talk)
        assert (row().status, row().output, row().attempts) == ("completed", "The blue one it is.", 1)
        assert "The blue one." in texts(below(talk, "scout"))[-2]
        assert texts(talk)[-2:] == [
            f'Task "Find it." ({task.task_id}) was completed: The blue one it is.',
            "Good.",
        ]

    @pytest.mark.parametrize("fired", [False, True])
    def test_answer__can_be_given_when_the_delegate_is_none_any_more(
        self, fired: bool, office: Office, talk: Session
    ) -> None:
        task = self.start(office, talk, "Let me see.")
        lead, scout = Seat.objects.get(seat_id="lead"), Seat.objects.filter(seat_id="scout")
        lead.settings = {**lead.settings, "delegates": []}
        lead.save()
        if fired:
            scout.update(retired_at=clock.now())
        answer = tell("answerTask", taskId=task.task_id, answer="The blue one.")
        office.script("lead", "", "", "", answer, "Told.", "Good.")
        office.say(talk)
        offered = {name for name in office.tools("lead", 3) if name.endswith("_tasks")}
        assert "cancelTask_tasks" in offered and not offered & {"addTask_tasks", "assignTask_tasks"}
        assert row().status == ("errored" if fired else "completed")
        ended = "failed for good: worker-unavailable" if fired else "was completed: The blue one it is."
        assert ended in texts(talk)[-2]
        office.say(talk)
        assert not [name for name in office.tools("lead") if name.endswith("_tasks")]

    def test_answer__is_taken_once_and_only_of_what_was_asked(self, office: Office, talk: Session) -> None:
        task = self.start(office, talk, "Let me see.")
        answer = tell("answerTask", taskId=task.task_id, answer="Blue.")
        office.script(
            "lead", "", "", "", [*answer, *answer, *tell("answerTask", taskId="task_x", answer="?")], "Told."
        )
        office.run(office.say(talk, run=False))
        assert codes(talk, "answerTask") == ["ok", "not_parked_on_question", "task_not_found"]
        office.work()
        office.script("lead", *[""] * 6, answer, "Too late.")
        office.say(talk)
        assert codes(talk, "answerTask")[-1] == "terminal_task_write_declined"

    @pytest.mark.parametrize("to", ["clerk", "scout", "nobody"])
    @pytest.mark.parametrize("patch", [False, True])
    def test_answered_row__goes_to_nobody_else_until_its_worker_goes_on(
        self, to: str, patch: bool, office: Office, talk: Session
    ) -> None:
        office.hire("clerk")
        Seat.objects.filter(seat_id="lead").update(
            settings={"model": "office:lead", "delegates": ["scout", "clerk"]}
        )
        office.script("lead", add(assignee="scout"), "Filed.", "Let me see.")
        office.script("scout", self.ask(), "I asked.", "The blue one it is.")
        office.say(talk)
        id = row().task_id
        answer = tell("answerTask", taskId=id, answer="Blue.")
        assign = tell("assignTask", taskId=id, assignee=to)
        if patch:
            assign = tell("updateTask", taskId=id, patch={"assignee": to, "priority": 9})
        missing = tell("assignTask", taskId="task_x", assignee="nobody")
        more = tell("updateTask", taskId=id, patch={"priority": 2})
        office.script("lead", "", "", "", [*answer, *assign, *missing, *more], "Told.", "Thanks.")
        office.run(office.say(talk, run=False))
        assert codes(talk)[1:] == ["ok", "task_awaiting_answer", "task_not_found", "ok"]
        assert (row().assignee, row().priority, row().status) == ("scout", 2, "pending")
        office.work()
        assert (row().status, row().output) == ("completed", "The blue one it is.")

    def test_parked_row__may_go_to_another_worker_which_then_waits_for_the_answer(
        self, office: Office, talk: Session
    ) -> None:
        office.hire("clerk")
        Seat.objects.filter(seat_id="lead").update(
            settings={"model": "office:lead", "delegates": ["scout", "clerk"]}
        )
        office.script("lead", add(assignee="scout"), "Filed.", "Let me see.")
        office.script("scout", self.ask(), "I asked.")
        office.say(talk)
        office.script(
            "lead", "", "", "", tell("assignTask", taskId=row().task_id, assignee="clerk"), "Done.",
            tell("answerTask", taskId=row().task_id, answer="Blue."), "Told.", "Thanks.",
        )  # fmt: skip
        office.say(talk)
        assert (row().status, row().assignee) == ("parked", "clerk")
        office.say(talk)
        assert (row().status, row().output) == ("completed", "clerk did it.")

    def test_row__that_goes_on_with_its_answer_and_failed_may_go_to_another_worker(
        self, office: Office, talk: Session
    ) -> None:
        self.start(office, talk, "Let me see.")
        office.hire("clerk")
        Seat.objects.filter(seat_id="lead").update(
            settings={"model": "office:lead", "delegates": ["scout", "clerk"]}
        )
        task = row()
        answer_task(board=task.board, task_id=task.task_id, by=ADA, answer="Blue.")
        claim_next(board=task.board, worker="scout", by=ADA)
        reclaim_task(board=task.board, task_id=task.task_id, by=ADA)
        office.script("lead", "", "", "", tell("assignTask", taskId=task.task_id, assignee="clerk"), "Done.")
        office.run(office.say(talk, run=False))
        assert codes(talk, "assignTask") == ["ok"]

    def test_park__again_is_heard_again(self, office: Office, talk: Session) -> None:
        task = self.start(office, talk, "Let me see.")
        office.script("scout", "", "", self.ask("And how?"), "Asked.")
        office.script(
            "lead", "", "", "", tell("answerTask", taskId=task.task_id, answer="Blue."), "Told.", "Hm."
        )
        office.say(talk)
        assert texts(talk)[-2].endswith("waits for an answer: And how?")

    def test_park__is_not_offered_elsewhere(self, office: Office, talk: Session) -> None:
        self.start(office, talk, "Let me see.")
        assert "parkOnQuestion" in office.tools("scout", 0)
        own = office.conversation(Seat.objects.get(seat_id="scout"))
        office.say(own)
        assert "parkOnQuestion" not in office.tools("scout")


class TestFollowUps:
    def test_follow_up__goes_on_in_the_roots_session(self, office: Office, talk: Session) -> None:
        office.script("lead", add(), "Filed.", "Thanks.")
        office.say(talk)
        root = row()
        office.script("lead", "", "", "", add("Now the other.", followUpOf=root.task_id), "Filed.", "Thanks.")
        office.say(talk)
        again = Task.objects.exclude(pk=root.pk).get()
        assert (again.status, again.assignee, again.follow_up_of) == ("completed", "scout", root.task_id)
        assert len(texts(below(talk, "scout"))) == 4
        office.script("lead", *[""] * 6, add("And more.", followUpOf=again.task_id), "Filed.", "Thanks.")
        office.say(talk)
        assert Task.objects.get(goal="And more.").follow_up_of == root.task_id
        assert len(texts(below(talk, "scout"))) == 6

    @pytest.mark.parametrize(
        ("more", "code"),
        [
            ({"followUpOf": "task_none"}, "task_not_found"),
            ({"assignee": "scout"}, "follow_up_takes_no_assignee"),
            ({}, "follow_up_of_unfinished"),
        ],
    )
    def test_follow_up__is_refused(
        self, more: dict[str, str], code: str, office: Office, talk: Session
    ) -> None:
        office.script("lead", add(), "Filed.")
        office.run(office.say(talk, run=False))
        office.script("lead", "", "", add("More.", **{"followUpOf": row().task_id, **more}), "No.")
        office.run(office.say(talk, run=False))
        assert codes(talk, "addTask")[-1] == code
        assert Task.objects.count() == 1

    def test_follow_up__of_what_was_never_worked_is_refused(self, office: Office, talk: Session) -> None:
        office.script("lead", add(), "Filed.")
        office.run(office.say(talk, run=False))
        cancel_task(board=row().board, task_id=row().task_id, by=ADA)
        office.script("lead", "", "", add("More.", followUpOf=row().task_id), "No.")
        office.run(office.say(talk, run=False))
        assert codes(talk, "addTask")[-1] == "follow_up_of_unfinished"

    def test_follow_up__is_one_at_a_time(self, office: Office, talk: Session) -> None:
        office.script("lead", add(), "Filed.", "Thanks.")
        office.say(talk)
        more = add("More.", followUpOf=row().task_id)
        office.script("lead", "", "", "", [*more, *more], "Filed.")
        office.run(office.say(talk, run=False))
        assert codes(talk, "addTask")[1:] == ["ok", "session_has_unfinished_task"]
