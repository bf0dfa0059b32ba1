"""A task that was given to an agent outside, and what ends it but a reply: cancels, fires, freezes, dead workers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from boards.models import Task
from boards.services.settling import cancel_task, complete_task
from messaging.external.services.watching import give_up_unreachable
from messaging.inbox.models import Inbox
from messaging.inbox.services.opening import join_inbox, leave_inbox
from tests.boards.ledgers import ADA
from tests.messaging.delegation.tasking import add, row, tell
from tests.messaging.delegation.test_interrupted import die, killed
from tests.messaging.external.conftest import SEAT, Desk
from tests.messaging.inbox.conftest import admit
from workforce import clock
from workforce.models import Request, Seat, Session
from workforce.services.actors import freeze_actor, retire_actor

pytestmark = pytest.mark.django_db


class TestGivingUp:
    def test_cancel__closes_the_item_and_a_later_reply_counts_for_nothing(self, filed: Desk) -> None:
        item = filed.item()
        assert "closedAt" not in item
        filed.office.script("lead", "", "", tell("cancelTask", taskId=row().task_id, reason="no"), "Done.")
        filed.office.say(filed.talk)
        assert row().status == "cancelled"
        assert "closedAt" in filed.item()
        filed.reply("Seven.", to=item)
        (told,) = [one for one in filed.items() if one["type"] == "info"]
        assert told["payload"]["refused"] == "nothing-to-answer" and "is cancelled" in told["payload"]["text"]
        assert (row().status, row().output, filed.heard()) == ("cancelled", None, [])

    def test_conversation__that_was_deleted_takes_no_reply(self, filed: Desk) -> None:
        item = filed.item()
        answer = filed.office.owner.api.call("DELETE", f"/api/sessions/{filed.talk.address}")
        assert answer.status_code == 204
        filed.reply("Seven.", to=item)
        assert filed.refused() == ["nothing-to-answer"]
        assert not Task.objects.exists()

    def test_agents_conversation__that_was_deleted_fails_the_attempt_and_it_is_told_anew(
        self, filed: Desk
    ) -> None:
        place = Session.objects.get(parent=filed.talk)
        answer = filed.office.owner.api.call("DELETE", f"/api/sessions/{place.address}")
        assert answer.status_code == 204
        assert give_up_unreachable() == 1
        filed.office.work()
        assert (row().status, row().attempts) == ("in_progress", 2)
        assert "was deleted" in row().feedback
        filed.reply("Seven.", to=filed.items()[-1])
        assert filed.heard()[0].endswith("was completed: Seven.")

    def test_cancel__before_the_agent_was_told_tells_it_nothing(self, desk: Desk) -> None:
        desk.start()
        cancel_task(board=row().board, task_id=row().task_id, by=ADA)
        desk.office.work()
        assert (desk.items(), row().status) == ([], "cancelled")

    def test_agent__that_cannot_be_told_fails_the_attempt_with_the_run(self, desk: Desk) -> None:
        run = desk.start()
        freeze_actor(organization=desk.office.owner.organization, passname="wren")
        assert desk.office.run(run).status == "failed"
        assert (row().status, row().attempts) == ("pending", 1)
        assert row().feedback.startswith("outside-unreachable: ") and "unfreeze wren" in row().feedback

    def test_row__settled_by_somebody_else_closes_the_item(self, filed: Desk) -> None:
        complete_task(board=row().board, task_id=row().task_id, by=ADA, output="mine")
        filed.office.work()
        assert "closedAt" in filed.item()
        assert filed.heard()[0].endswith("was completed: mine")

    @pytest.mark.parametrize("held", [False, True])
    @pytest.mark.parametrize("gone", ["frozen", "retired", "left", "renamed"])
    def test_agent__that_cannot_be_reached_fails_the_row_in_words(
        self, gone: str, held: bool, desk: Desk
    ) -> None:
        desk.office.script("lead", add(), "Filed.", "A pity.")
        desk.talk = desk.office.lead("", SEAT, kind="agent")
        if held:
            desk.office.say(desk.talk)
            assert give_up_unreachable() == 0
        LEAVES[gone](desk)
        if held:
            assert row().status == "in_progress"
            assert give_up_unreachable() == 1
            desk.office.work()
        else:
            desk.office.say(desk.talk)
        assert row().status == "errored"
        assert len(desk.heard()) == 1
        assert "failed for good: outside-unreachable: the agent behind 'support.wren'" in desk.heard()[0]
        assert "retry this run" not in desk.heard()[0]
        assert give_up_unreachable() == 0

    def test_seat__retired_while_the_row_is_held_fails_it_and_a_later_reply_is_refused(
        self, filed: Desk
    ) -> None:
        item = filed.item()
        Seat.objects.filter(seat_id=SEAT).update(retired_at=clock.now())
        assert (give_up_unreachable(), give_up_unreachable()) == (1, 0)
        filed.office.work()
        assert row().status == "errored"
        assert "failed for good: worker-unavailable: 'support.wren' is not hired any more" in filed.heard()[0]
        assert "closedAt" in filed.item()
        filed.reply("Seven.", to=item)
        assert (filed.refused(), row().output) == (["worker-retired"], None)

    def test_seat__retired_before_the_run_fails_the_row_too(self, desk: Desk) -> None:
        desk.start()
        Seat.objects.filter(seat_id=SEAT).update(retired_at=clock.now())
        desk.office.work()
        assert row().status == "errored" and len(desk.heard()) == 1

    def test_seat__with_another_agent_by_now_tells_that_one(self, filed: Desk, inbox: Inbox) -> None:
        lark = admit(inbox, "lark", user=filed.office.owner.user)
        seat = Seat.objects.get(seat_id=SEAT)
        seat.settings = {**seat.settings, "passname": "lark"}
        seat.save()
        assert give_up_unreachable() == 1
        filed.office.work()
        (item,) = lark.pull()["items"]
        assert lark.see(item["id"])["payload"]["attempt"] == 2
        assert row().status == "in_progress"

    def test_seat__that_takes_turns_of_its_own_by_now_works_the_row_itself(self, filed: Desk) -> None:
        item = filed.item()
        Seat.objects.filter(seat_id=SEAT).update(kind="agent", settings={"model": f"office:{SEAT}"})
        assert give_up_unreachable() == 1
        filed.office.work()
        assert (row().status, row().output) == ("completed", f"{SEAT} did it.")
        filed.reply("Seven.", to=item)
        assert filed.refused() == ["worker-unreadable"]

    def test_agent__that_is_there_again_for_the_second_attempt_is_told(self, filed: Desk) -> None:
        leave_inbox(inbox=filed.agent.inbox, passname="wren")
        assert give_up_unreachable() == 1
        admit_again(filed)
        filed.office.work()
        assert (row().status, row().attempts) == ("in_progress", 2)
        assert filed.items()[-1]["payload"]["attempt"] == 2


class TestInterrupted:
    def test_telling__in_a_worker_that_dies_is_done_once(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run = desk.start()
        with monkeypatch.context() as patch:
            patch.setattr("messaging.external.services.telling.append_item", die)
            killed(run)
        assert (desk.items(), row().status) == ([], "in_progress")
        assert row().lease_until is not None
        desk.office.work()
        assert (len(desk.items()), row().attempts, row().lease_until) == (1, 1, None)

    def test_reply__in_a_worker_that_dies_settles_the_row_once(
        self, filed: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        item = filed.item()
        filed.agent.send("Seven.", type="message", topic=..., replyingTo=item["id"])
        with monkeypatch.context() as patch:
            patch.setattr("messaging.external.services.delegated.append_item", die)
            killed(Request.objects.get(action="onInboxReply"))
        assert row().status == "in_progress" and "closedAt" not in filed.item()
        filed.office.work()
        assert (row().status, len(filed.heard()), filed.refused()) == ("completed", 1, [])


def admit_again(desk: Desk) -> None:
    join_inbox(inbox=desk.agent.inbox, passname="wren")


def rename(desk: Desk) -> None:
    seat = Seat.objects.get(seat_id=SEAT)
    seat.settings = {**seat.settings, "inbox": "nowhere"}
    seat.save()


LEAVES: dict[str, Callable[[Desk], object]] = {
    "frozen": lambda desk: freeze_actor(organization=desk.office.owner.organization, passname="wren"),
    "retired": lambda desk: retire_actor(organization=desk.office.owner.organization, passname="wren"),
    "left": lambda desk: leave_inbox(inbox=desk.agent.inbox, passname="wren"),
    "renamed": rename,
}
