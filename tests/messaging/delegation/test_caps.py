"""How many tasks there may be under one, and how deep; and whose chain they are."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from boards.models import Board, Task
from boards.services.filing import retry_task
from messaging.delegation.models import FiledTask
from messaging.models import Chain, WorkerMessage
from tests.boards.ledgers import ADA
from tests.messaging.delegation.offices import Office, Reply
from tests.messaging.delegation.tasking import add, codes, outputs
from workforce.models import Request, Seat, Session
from workforce_site.env import env_int


def chain_of(length: int, office: Office) -> Session:
    """Workers w0 to w<length>, each with the next one as its delegate, and a conversation with the first."""
    last = f"w{length}"
    office.hire(last)
    for number in reversed(range(length)):
        office.hire(f"w{number}", delegates=[f"w{number + 1}"])
        office.script(f"w{number}", add(f"At depth {number + 1}."), "Filed.")
    return office.conversation(Seat.objects.get(seat_id="w0"))


def task_session(worker: str) -> Session:
    return Session.objects.get(seat__seat_id=worker, topic__startswith="task:")


def test_depth__is_five_boards(office: Office) -> None:
    office.say(chain_of(6, office))
    assert sorted(FiledTask.objects.values_list("depth", flat=True)) == [1, 2, 3, 4, 5]
    assert codes(task_session("w5"), "addTask") == ["total_task_cap_exceeded"]
    assert "5 boards deep" in outputs(task_session("w5"), "addTask")[0]["error"]
    assert Board.objects.count() == 5  # what was refused has left nothing
    top = FiledTask.objects.get(top=None)
    assert top.under == 4
    assert FiledTask.objects.filter(top=top).count() == 4


@pytest.mark.parametrize("times", [1, 2])
def test_row__that_an_operator_filed_again_stands_where_it_stood(times: int, office: Office) -> None:
    talk = chain_of(3, office)
    broken: list[Reply] = [RuntimeError("no")] * 2 * times
    office.script("w2", *broken, add("At depth 3."), "Filed.")
    office.say(talk)
    for _ in range(times):
        errored = Task.objects.filter(goal="At depth 2.").latest("pk")
        assert errored.status == "errored"
        retry_task(board=errored.board, task_id=errored.task_id, by=ADA)
        office.work()
    last = FiledTask.objects.get(task__goal="At depth 3.")
    assert (last.depth, last.top) == (3, FiledTask.objects.get(top=None))
    assert FiledTask.objects.get(top=None).under == 2


@override_settings(TASK_CHAIN_LIMIT=3)
def test_count__under_one_top_task_is_limited_at_any_depth(office: Office) -> None:
    talk = chain_of(2, office)
    office.script("w1", [*add("a"), *add("b"), *add("c"), *add("d")], "Filed.")
    office.say(talk)
    assert codes(task_session("w1"), "addTask") == ["ok", "ok", "ok", "total_task_cap_exceeded"]
    assert Task.objects.count() == 4  # the top does not count under itself
    assert FiledTask.objects.get(top=None).under == 3


@override_settings(TASK_CHAIN_LIMIT=1)
def test_count__of_a_conversation_is_not_limited(office: Office) -> None:
    talk = office.lead("", "scout", kind="agent")
    office.script("lead", [*add("a"), *add("b"), *add("c")], "Filed.", "Thanks.")
    office.say(talk)
    assert codes(talk, "addTask") == ["ok", "ok", "ok"]
    assert FiledTask.objects.filter(top=None).count() == 3


@override_settings(TASK_CHAIN_LIMIT=1)
def test_count__a_refused_filing_takes_no_place(office: Office) -> None:
    talk = chain_of(2, office)
    office.script("w1", [*add("a", assignee="nobody"), *add("b", deps=["task_x"]), *add("c")], "Filed.")
    office.say(talk)
    assert codes(task_session("w1"), "addTask") == ["unknown_assignee", "unknown_dependency", "ok"]


def test_chain__of_a_task_is_its_filers_and_its_messages_count_there(office: Office) -> None:
    office.hire("clerk")
    talk = office.lead("", "scout", kind="agent")
    office.script("lead", add(), "Filed.", "Thanks.")
    office.script("scout", [("messageWorker", {"to": "clerk", "text": "Is it here?"})], "Asked.", "Thanks.")
    request = office.say(talk)
    assert Task.objects.get().chain_uid == request.uid
    assert set(Request.objects.values_list("chain_uid", flat=True)) == {request.uid}
    assert list(WorkerMessage.objects.order_by("pk").values_list("sender", "hop")) == [
        ("scout", 1),
        ("clerk", 2),
    ]
    assert Chain.objects.get().count == 2


def test_chain__of_messages_is_not_shortened_by_tasks(office: Office) -> None:
    talk = office.lead("", "scout", kind="agent")
    office.script("lead", [*add("a"), *add("b")], "Filed.", "Thanks.")
    office.say(talk)
    assert not Chain.objects.exists()


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "nan", "many"])
def test_setting__that_is_no_whole_number_stops_the_start(
    value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TASK_CHAIN_LIMIT", value)
    with pytest.raises(ImproperlyConfigured, match="TASK_CHAIN_LIMIT"):
        env_int("TASK_CHAIN_LIMIT", 100, minimum=1, maximum=100_000)
