"""The conversation's own board: filed by its worker, worked by its delegates, every ending heard."""

from __future__ import annotations

from typing import Any

import pytest

from boards.drains.conversations import conversations_with_work
from boards.drains.draining import drain_board
from boards.models import Board, Task
from boards.services.settling import cancel_task, complete_task, fail_task
from messaging.delegation.models import FiledTask
from tests.boards.ledgers import ADA
from tests.conftest import Player
from tests.messaging.delegation.offices import Office, Reply, below, errors, lines, texts
from workforce import clock
from workforce.kinds import handlers
from workforce.models import Item, Request, Seat, Session

EIGHT = [
    "addTask",
    "assignTask",
    "updateTask",
    "listTasks",
    "completeTask",
    "failTask",
    "blockTask",
    "cancelTask",
]


def add(goal: str = "Find it.", **more: Any) -> list[tuple[str, Any]]:
    return [("addTask_tasks", {"goal": goal, **more})]


def tell(tool: str, **input: Any) -> list[tuple[str, Any]]:
    return [(f"{tool}_tasks", input)]


def outputs(session: Session, tool: str = "") -> list[Any]:
    rows = (
        Item.objects.filter(session=session, type="tool_output")
        .order_by("seq")
        .values_list("data", flat=True)
    )
    return [data["output"] for data in rows if data and data["tool"].startswith(tool)]


def codes(session: Session, tool: str = "") -> list[str]:
    return [str(output.get("error", "ok")).partition(":")[0] for output in outputs(session, tool)]


@pytest.fixture
def talk(office: Office) -> Session:
    """A conversation of an agent with one delegate."""
    return office.lead("", "scout", kind="agent")


def row() -> Task:
    return Task.objects.get()


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


def first_ended() -> Any:
    return Task.objects.get(goal="First.").completed_at


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
