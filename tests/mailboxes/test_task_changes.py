"""Changes of a mailbox's boards, as items of its session."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from boards import tasks
from boards.models import TaskEvent
from boards.services import telling
from boards.services.settling import cancel_task
from mailboxes.services.showing import show_changes
from tests.boards.ledgers import Ledger, make_board
from tests.conftest import Mailbox, Player
from tests.racing import ON_POSTGRESQL, at_once
from workforce.models import Item, Organization, Request, Session


@pytest.fixture
def ledger(mailbox: Mailbox, organization: Organization) -> Ledger:
    mailbox("support.help", members=["support.lead"])
    return Ledger(make_board(organization))


def items(player: Player, address: str = "support.help") -> list[dict[str, Any]]:
    answer = player.api.get(f"/api/sessions/{address}/items").json()
    found: list[dict[str, Any]] = answer["items"]
    assert [item["seq"] for item in found] == list(range(1, len(found) + 1))
    assert answer["lastSeq"] == len(found)
    return found


def test_tell__each_change_once_and_in_order(owner: Player, ledger: Ledger) -> None:
    task = ledger.file("Mend it.", assignee="wren")
    taken, ticket = ledger.take()
    ledger.complete(taken, ticket=ticket)
    assert telling.tell_changes(owner.organization.pk, "support.help") == 3
    assert telling.tell_changes(owner.organization.pk, "support.help") == 0
    shown = items(owner)
    assert [item["data"]["kind"] for item in shown] == ["added", "claimed", "completed"]
    assert [item["data"]["status"] for item in shown] == ["pending", "in_progress", "completed"]
    assert {(item["type"], item["component"]) for item in shown} == {("component", "task-change")}
    assert shown[0]["data"] == {
        "boardId": "support.help.todo", "board": "todo", "taskId": task.task_id, "kind": "added", "status": "pending",
        "title": "Mend it.", "assignee": "wren", "by": "ada-desk",
    }  # fmt: skip
    request = Request.objects.get()
    assert (request.action, request.source, request.status) == ("onTaskChange", "task", "completed")
    assert {item["requestId"] for item in shown} == {str(request.uid)}
    assert owner.api.get("/api/sessions/support.help/items?component=task-change").json()["items"] == shown


def test_tell__the_title_or_the_beginning_of_the_goal(owner: Player, ledger: Ledger) -> None:
    ledger.file("g" * 300)
    ledger.file("g" * 300, title="Short")
    show_changes(owner.organization.pk, "support.help")
    assert [item["data"]["title"] for item in items(owner)] == ["g" * 200 + "…", "Short"]


def test_tell__beside_lines_and_outside_of_the_transcript(owner: Player, ledger: Ledger) -> None:
    owner.api.line("support.help", "before")
    ledger.file()
    show_changes(owner.organization.pk, "support.help")
    line = owner.api.line("support.help", "after")
    assert [item["component"] for item in items(owner)] == ["mailbox-post", "task-change", "mailbox-post"]
    assert line["seq"] == 2
    assert [line["body"] for line in owner.api.transcript("support.help")] == ["before", "after"]


def test_tell__a_filing_through_the_mailbox_too(owner: Player, ledger: Ledger) -> None:
    owner.api.act("support.help", "fileTask", {"board": "todo", "goal": "x"})
    assert telling.tell_untold() == 1
    assert items(owner)[-1]["data"]["by"] == "ada-desk"


def test_tell__nothing_is_told_of_a_refusal_or_a_renewal(owner: Player, ledger: Ledger) -> None:
    from boards.services.claiming import renew_lease

    ledger.file()
    taken, ticket = ledger.take()
    show_changes(owner.organization.pk, "support.help")
    ledger.do(renew_lease, taken, ticket=ticket)
    owner.api.act("support.help", "fileTask", {"board": "none", "goal": "x"})
    assert telling.tell_untold() == 0


def test_tell__each_mailbox_of_its_own_boards(
    owner: Player, outsider: Player, ledger: Ledger, mailbox: Mailbox, organization: Organization
) -> None:
    mailbox("sales.desk")
    mailbox("support.help", player=outsider)
    others = (Ledger(make_board(organization, "sales.desk.todo")), Ledger(make_board(outsider.organization)))
    for each in (ledger, *others, Ledger(make_board(organization, "support.help.ideas"))):
        each.file()
    assert show_changes(organization.pk, "support.help") == 2
    assert [item["data"]["boardId"] for item in items(owner)] == ["support.help.todo", "support.help.ideas"]
    assert telling.tell_untold() == 2
    assert [item["data"]["board"] for item in items(owner, "sales.desk")] == ["todo"]
    assert len(items(outsider)) == 1


@pytest.mark.parametrize("state", [None, {}, {"other": 1}])
def test_tell__without_an_open_mailbox_nobody_is_told(ledger: Ledger, owner: Player, state: Any) -> None:
    ledger.file()
    if state is None:
        Session.objects.all().delete()
    else:
        Session.objects.update(state=state)
    assert telling.tell_untold() == 1
    assert not TaskEvent.objects.filter(told=False).exists()
    assert not Item.objects.exists()
    assert not Request.objects.exists()


def test_tell__in_batches(ledger: Ledger, owner: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "BATCH", 2)
    for _ in range(5):
        ledger.file()
    assert tasks.tell_changes(owner.organization.pk, "support.help") == 5
    assert len(items(owner)) == 5
    assert Request.objects.count() == 3


def test_tell__one_mailbox_that_cannot_be_told_stops_no_other(
    ledger: Ledger,
    owner: Player,
    organization: Organization,
    mailbox: Mailbox,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from django.db import DatabaseError

    mailbox("a.desk")
    Ledger(make_board(organization, "a.desk.todo")).file()
    ledger.file()

    def teller(organization_id: int, mailbox_id: str) -> int:
        if mailbox_id == "a.desk":
            raise DatabaseError("torn page")
        return show_changes(organization_id, mailbox_id)

    monkeypatch.setattr(telling, "_TELLERS", [teller])
    assert telling.tell_untold() == 1
    assert len(items(owner)) == 1


class TestRaces:
    pytestmark = ON_POSTGRESQL

    def test_tell__two_tellers_and_writers_at_once(self, owner: Player, ledger: Ledger) -> None:
        tell = partial(telling.tell_changes, owner.organization.pk, "support.help")
        for number in range(5):
            task = ledger.file(str(number))
            told = at_once(tell, tell, ledger.claim, partial(owner.api.line, "support.help"), tell)
            ledger.do(cancel_task, task)
            assert not [error for error in told if isinstance(error, Exception)], told
        tell()
        shown = [item["data"] for item in items(owner) if item["component"] == "task-change"]
        assert len(shown) == TaskEvent.objects.count()
        by_row: dict[str, list[str]] = {}
        for change in shown:
            by_row.setdefault(change["taskId"], []).append(change["kind"])
        for row, kinds in by_row.items():
            events = TaskEvent.objects.filter(task__task_id=row).order_by("id")
            assert kinds == list(events.values_list("kind", flat=True))

    def test_claim__does_not_wait_for_the_mailbox(self, owner: Player, ledger: Ledger) -> None:
        from django.db import transaction

        ledger.file()
        with transaction.atomic():
            Session.objects.select_for_update().get(address="support.help")
            (claimed,) = at_once(ledger.claim)
        assert claimed is not None
