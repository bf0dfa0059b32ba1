"""Answers, posts and turns at the same moment, on PostgreSQL."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import transaction

from mailboxes.errors import AlreadyAnswered
from mailboxes.models import Answer, Placement
from mailboxes.services import answering
from mailboxes.services.answering import post_answer
from tests.conftest import Player
from tests.mailboxes.routes import BOX, MEMBERS, Script, fan_out, post, routes, woken
from tests.racing import ON_POSTGRESQL, at_once
from workforce.dispatch.run import run_queue
from workforce.dispatch.sweep import run_due
from workforce.dispatch.working import lock_run
from workforce.kinds import Call
from workforce.models import Item, Request, Session

pytestmark = ON_POSTGRESQL
DEVICES, ORDERS, GENERAL = MEMBERS


def owe_answer(box: Session, post_id: str, author: str) -> Request:
    return Request.objects.create(
        session=box,
        action="answer",
        source="dispatch",
        serial=True,
        input={"postId": post_id, "body": f"{author} says", "author": author},
    )


def test_answers__of_many_at_once_one_lands(owner: Player, routed: Session, script: Script) -> None:
    post_id = post(owner)
    runs = [owe_answer(routed, post_id, author) for author in MEMBERS * 2]
    assert not [
        error
        for error in at_once(*(partial(run_queue, run.uid) for run in runs))
        if isinstance(error, Exception)
    ]
    run_due()
    ended = Request.objects.filter(action="answer")
    assert Counter(ended.values_list("status", flat=True)) == {"completed": 1, "failed": 5}
    assert {error["code"] for error in ended.filter(status="failed").values_list("error", flat=True)} == {
        "already-answered"
    }
    assert len(owner.api.transcript(BOX)) == 2
    assert Answer.objects.count() == 1


def test_answers__the_constraint_decides_when_neither_sees_the_other(
    owner: Player, routed: Session, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that do not lock the mailbox, and both find the post unanswered."""
    post_id = post(owner)
    monkeypatch.setattr(answering, "is_answered", lambda post_id: False)

    def answer(author: str) -> Any:
        with transaction.atomic():
            request = owe_answer(routed, post_id, author)
            session = Session.objects.get(pk=routed.pk)
            call = Call(session=session, request=request, input=None)
            return post_answer(call=call, post_id=Item.objects.get(pk=post_id).pk, body="x", author=author)

    results = at_once(partial(answer, DEVICES), partial(answer, ORDERS))
    assert sorted(type(result).__name__ for result in results) == ["AlreadyAnswered", "Item"]
    assert any(isinstance(result, AlreadyAnswered) for result in results)
    assert Item.objects.filter(session=routed, seat_authored=True).count() == 1


def test_fan_out__the_same_message_to_four_workers_places_once(
    owner: Player, routed: Session, script: Script
) -> None:
    script.answers = [DEVICES] * 4
    post_id = post(owner, run=False)
    at_once(*[partial(run_queue, fan_out(post_id).uid)] * 4)
    assert (woken(post_id), len(routes(routed)), len(script.asked)) == ([DEVICES], 1, 1)


def test_fan_outs_and_turns__never_wait_for_each_other_in_a_ring(
    owner: Player, routed: Session, script: Script
) -> None:
    """A fan-out owes rows to the members' sessions while their turns owe answers to the mailbox."""
    script.says = "Done."
    script.answers = [DEVICES, ORDERS, GENERAL] * 20
    posts: list[str] = []

    def write(number: int) -> None:
        for place in range(5):
            posts.append(post(owner, f"{number}-{place}", run=False))

    def work(_: int) -> None:
        for _ in range(12):
            run_due()

    jobs: list[Callable[[], Any]] = [partial(write, number) for number in range(3)]
    jobs += [partial(work, number) for number in range(4)]
    assert [error for error in at_once(*jobs) if isinstance(error, Exception)] == []
    run_due()
    assert Request.objects.filter(status__in=["pending", "in_progress"]).count() == 0
    assert Counter(Request.objects.values_list("status", flat=True)) == {"completed": Request.objects.count()}
    assert Placement.objects.count() == Answer.objects.count() == len(routes(routed)) == len(posts) == 15
    assert all(len(woken(post_id)) == 1 for post_id in posts)


def test_locks__a_run_may_owe_a_row_to_a_session_whose_run_owes_one_back(
    owner: Player, routed: Session, script: Script
) -> None:
    """The mailbox's run and the seat's hold their own session, and each owes the other's a row."""
    script.answers = [DEVICES]
    post_id = post(owner)
    child = Session.objects.get(parent=routed)
    both = threading.Barrier(2)

    def run(mine: Session, other: Session, number: int) -> None:
        claimed = Request.objects.create(
            session=mine, action="x", source="dispatch", status="in_progress", claimed_by=f"run-{number}"
        )
        with transaction.atomic():
            lock_run(claimed)
            both.wait(timeout=10)
            Request.objects.create(session=other, action="y", source="dispatch", status="completed")

    results = at_once(partial(run, routed, child, 1), partial(run, child, routed, 2))
    assert results == [None, None]
    assert Request.objects.filter(action="y").count() == 2
    assert woken(post_id) == [DEVICES]
