"""Filing on the conversation's own board, which nobody else sees."""

from __future__ import annotations

from typing import Any

import pytest

from boards.drains.conversations import conversations_with_work
from boards.models import Board, Task
from tests.conftest import Player
from tests.messaging.delegation.offices import Office, errors, lines, texts
from tests.messaging.delegation.tasking import EIGHT, add, codes, outputs, row, tell
from workforce import clock
from workforce.kinds import handlers
from workforce.models import Request, Seat, Session


def first_ended() -> Any:
    return Task.objects.get(goal="First.").completed_at


class TestFiling:
    def test_tools__are_the_eight_and_the_answer(self, office: Office, talk: Session) -> None:
        office.say(talk)
        offered = office.tools("lead")
        assert {f"{tool}_tasks" for tool in [*EIGHT, "answerTask"]} <= set(offered)
        assert "- scout: Does what scout does." in offered["addTask_tasks"].description
        assert "parkOnQuestion" not in offered

    def test_tools__are_there_while_a_delegate_takes_tasks(self, office: Office, talk: Session) -> None:
        office.say(talk)
        Seat.objects.filter(seat_id="scout").update(retired_at=clock.now())
        office.say(talk)
        assert not [name for name in office.tools("lead") if name.endswith("_tasks")]

    def test_tools__of_a_worker_without_delegates_are_not_there(self, office: Office) -> None:
        talk = office.conversation(office.hire("alone"))
        office.say(talk)
        assert not [name for name in office.tools("alone") if name.endswith("_tasks")]
        assert not Board.objects.exists()

    def test_add__answers_at_once_and_the_output_comes_back_under_the_delegates_id(
        self, office: Office, talk: Session
    ) -> None:
        office.script("lead", add(), "Filed.", "Thanks.")
        office.script("scout", "It is in Paris.")
        request = office.say(talk, "Where is it?")
        task = row()
        assert request.output == {"text": "Filed."}
        assert outputs(talk)[0] == {"ok": True, "taskId": task.task_id, "assignee": "scout"}
        assert (task.status, task.output, task.assignee, task.max_attempts) == (
            "completed", "It is in Paris.", "scout", 2,
        )  # fmt: skip
        assert lines(talk) == [
            ("user", "", "Where is it?"),
            ("assistant", "lead", "Filed."),
            ("user", "scout", f'Task "Find it." ({task.task_id}) was completed: It is in Paris.'),
            ("assistant", "lead", "Thanks."),
        ]

    def test_add__is_worked_in_a_session_of_its_own_below_the_conversation(
        self, office: Office, talk: Session
    ) -> None:
        office.script("lead", [*add("One."), *add("Two.")], "Filed.", "Thanks.")
        office.say(talk)
        sessions = Session.objects.filter(parent=talk, seat__seat_id="scout")
        assert {session.topic for session in sessions} == {
            f"task:{task.task_id}" for task in Task.objects.all()
        }
        assert sessions.count() == 2

    def test_add__without_an_assignee_waits_when_several_could_take_it(self, office: Office) -> None:
        talk = office.lead("", "scout", "clerk", kind="agent")
        office.script("lead", add(), "Filed.")
        office.say(talk)
        task = row()
        assert (task.status, task.assignee) == ("pending", "")
        assert conversations_with_work(clock.now()) == []
        office.script(
            "lead", "", "", tell("assignTask", taskId=task.task_id, assignee="clerk"), "Assigned.", "Thanks."
        )
        office.say(talk)
        assert (row().status, row().output) == ("completed", "clerk did it.")

    @pytest.mark.parametrize("worker", ["nobody", "stranger", "bobs", "lead", "gone", "boss", "Scout"])
    def test_add__refuses_who_is_no_delegate_that_takes_tasks(
        self, worker: str, office: Office, stranger: Player
    ) -> None:
        office.hire("stranger")
        office.hire("boss", kind="coordinator")
        Seat.objects.create(
            organization=stranger.organization,
            owner=stranger.user,
            seat_id="bobs",
            kind="agent",
            description="His.",
        )
        talk = office.lead("", "scout", "gone", "boss", "lead", kind="agent")
        Seat.objects.filter(seat_id="gone").delete()
        office.script("lead", add(assignee=worker), "No.")
        office.say(talk)
        assert codes(talk) == ["unknown_assignee"]
        assert "'scout'" in outputs(talk)[0]["error"]
        assert not Task.objects.exists()

    def test_add__another_users_worker_reads_like_none(self, office: Office, stranger: Player) -> None:
        talk = office.lead("", "scout", kind="agent")
        Seat.objects.create(
            organization=stranger.organization,
            owner=stranger.user,
            seat_id="bobs",
            kind="agent",
            description="His.",
        )
        office.script("lead", [*add(assignee="bobs"), *add(assignee="none")], "No.")
        office.say(talk)
        first, second = (output["error"] for output in outputs(talk))
        assert first.replace("bobs", "none") == second

    def test_list_update_and_cancel__work_on_what_was_filed_here(self, office: Office) -> None:
        talk = office.lead("", "scout", "clerk", kind="agent")
        office.script("lead", tell("listTasks"), add(), "Filed.")
        office.say(talk)
        id = row().task_id
        office.script(
            "lead", "", "", "",
            tell("updateTask", taskId=id, patch={"priority": 3, "addLabel": "soon"}),
            tell("updateTask", taskId=id, patch={"assignee": "nobody", "priority": 9}),
            tell("assignTask", taskId="task_none", assignee="nobody"),
            tell("blockTask", taskId=id, reason="later"),
            tell("listTasks", status="blocked"),
            tell("completeTask", taskId=id, output=1),
            tell("cancelTask", taskId=id, reason="no"),
            tell("failTask", taskId=id, error="x"),
            "Done.",
        )  # fmt: skip
        office.say(talk)
        assert codes(talk) == [
            "ok", "ok", "ok", "unknown_assignee", "task_not_found", "ok", "ok", "illegal_status_transition", "ok",
            "illegal_status_transition",
        ]  # fmt: skip
        assert (row().priority, row().labels, row().status) == (3, ["soon"], "cancelled")
        assert outputs(talk)[6]["tasks"] == [
            {"id": id, "goal": "Find it.", "status": "blocked", "attempts": 0}
        ]

    def test_add__with_a_dep_runs_after_it(self, office: Office, talk: Session) -> None:
        office.script("lead", add("First."), "Filed.", "Thanks.")
        office.say(talk, run=False)
        office.run(Request.objects.get(action="run"))
        first = row()
        office.script("lead", "", "", add("Second.", deps=[first.task_id]), "Filed.", "Thanks.")
        office.say(talk)
        seen = [task.output for task in Task.objects.order_by("completed_at")]
        assert seen == ["scout did it."] * 2
        assert Task.objects.get(goal="Second.").started_at >= first_ended()

    def test_handler__works_a_row_of_a_conversation(
        self, office: Office, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(handlers, "_HANDLERS", {"count": lambda task: {"goal": task.goal}})
        office.hire("counter", kind="handler", handler="count")
        talk = office.lead("", "counter", kind="agent")
        office.script("lead", add("Count."), "Filed.", "Thanks.")
        office.say(talk)
        assert texts(talk)[2].endswith('was completed: {"goal": "Count."}')


class TestPrivacy:
    def test_board__is_under_no_path_and_in_no_list(
        self, office: Office, talk: Session, stranger: Player
    ) -> None:
        office.script("lead", add(), "Filed.", "Thanks.")
        office.say(talk)
        task = row()
        board_id = task.board.board_id
        for player in (office.owner, stranger):
            assert player.api.get("/api/boards/").json()["items"] == []
            for path in (f"/api/boards/{board_id}/", f"/api/boards/{board_id}/tasks/{task.task_id}/"):
                assert player.api.get(path).status_code == 404
            claim = player.api.post(f"/api/boards/{board_id}/claim/", {"worker": "x"})
            assert claim.status_code == 404

    def test_board__cannot_be_named_by_a_workers_file(self, office: Office, talk: Session) -> None:
        office.script("lead", add(), "Filed.", "Thanks.")
        office.say(talk)
        board_id = row().board.board_id
        hired = office.owner.api.post(
            "/api/workers/hire",
            {"id": "spy", "description": "Spies.", "settings": {"boardTools": [board_id]}},
        )
        assert hired.status_code == 400
        spy = office.hire("spy", boardTools=[board_id])
        office.say(office.conversation(spy))
        assert not [name for name in office.tools("spy") if "Task" in name]

    def test_board__is_kept_by_a_load(self, office: Office, talk: Session) -> None:
        from boards.services.minting import plan_minting

        office.script("lead", add(), "Filed.", "Thanks.")
        office.say(talk)
        plan = plan_minting(organization=office.owner.organization, held=[], is_kept=lambda id: False)
        assert (plan.minted, plan.dropped) == ([], [])

    def test_board__has_another_in_another_conversation(self, office: Office, talk: Session) -> None:
        office.script("lead", add(), "Filed.", "Thanks.", tell("listTasks"), "None.")
        office.say(talk)
        other = office.conversation(Seat.objects.get(seat_id="lead"), "other")
        office.say(other)
        assert outputs(other) == [{"ok": True, "tasks": []}]

    def test_board__leaves_no_message_about_its_changes(self, office: Office, talk: Session) -> None:
        from boards.models import TaskEvent

        office.script("lead", add(), "Filed.", "Thanks.")
        office.say(talk)
        assert TaskEvent.objects.exists() and not TaskEvent.objects.filter(told=False).exists()
        assert errors(talk) == []
