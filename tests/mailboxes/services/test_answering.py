"""The one answer of a post, and the lines that seats write."""

from __future__ import annotations

from typing import Any

import pytest

from mailboxes.models import Answer
from tests.conftest import Mailbox, Player
from tests.mailboxes.routes import BOX, MEMBERS, Script, answers, post, routes, speak
from workforce.dispatch.sweep import run_due
from workforce.ids import new_uuid
from workforce.models import Item, Request, Session

DEVICES, ORDERS, GENERAL = MEMBERS


def hand(box: Session, action: str, **input: Any) -> Request:
    """Have the entry run as a dispatch from inside; the request as it ended."""
    request = Request.objects.create(session=box, action=action, source="dispatch", serial=True, input=input)
    run_due()
    request.refresh_from_db()
    return request


def refused(request: Request, code: str, *words: str) -> None:
    assert (request.status, request.output, request.counted) == ("failed", None, 0)
    assert request.error["code"] == code
    assert all(word in request.error["message"] for word in words), request.error


def test_answer__lands_as_a_seats_line(owner: Player, routed: Session, script: Script) -> None:
    script.answers, script.says = [DEVICES], "Hold both buttons."
    post_id = post(owner)
    asked, line = owner.api.transcript(BOX)
    assert (asked["id"], line["body"], line["author"], line["seq"]) == (
        post_id,
        "Hold both buttons.",
        DEVICES,
        2,
    )
    assert (line["principal"], line["seatAuthored"], line["authorVerified"]) == ("ada", True, False)
    assert str(Answer.objects.get(pk=post_id).line_id) == line["id"]
    assert len(routes(routed)) == 1  # the answer itself is not routed
    assert len(script.heard) == 1


def test_answer__the_second_is_refused_for_ever(
    owner: Player, routed: Session, script: Script, nothing_written: Any
) -> None:
    post_id = post(owner)
    assert speak(routed, GENERAL, post_id=post_id).status == "completed"
    for author in (GENERAL, DEVICES):
        with nothing_written(Request=1):
            second = hand(routed, "answer", postId=post_id, body="Also this.", author=author)
        refused(second, "already-answered", post_id)
    assert answers(post_id) == 1


def test_answer__the_database_decides(
    owner: Player, routed: Session, script: Script, monkeypatch: pytest.MonkeyPatch, nothing_written: Any
) -> None:
    """The look before is only a courtesy: without it the constraint refuses the same."""
    post_id = post(owner)
    speak(routed, GENERAL, post_id=post_id)
    from mailboxes.services import answering

    monkeypatch.setattr(answering, "is_answered", lambda post_id: False)
    with nothing_written(Request=1):
        refused(hand(routed, "answer", postId=post_id, body="Also.", author=GENERAL), "already-answered")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"author": "support.lead"}, "author-not-a-member"),
        ({"body": "  "}, "invalid-input"),
        ({"body": "x" * 65_537}, "invalid-input"),
        ({"body": "a\x00"}, "invalid-input"),
        ({"postId": "7"}, "invalid-input"),
        ({"postId": str(new_uuid())}, "not-found"),
        ({"more": 1}, "invalid-input"),
    ],
)
def test_answer__a_refused_one_does_not_use_it_up(
    owner: Player, routed: Session, script: Script, nothing_written: Any, change: dict[str, Any], code: str
) -> None:
    post_id = post(owner)
    with nothing_written(Request=1):
        refused(
            hand(routed, "answer", **{"postId": post_id, "body": "So.", "author": GENERAL, **change}), code
        )
    assert answers(post_id) == 0
    assert speak(routed, GENERAL, post_id=post_id).status == "completed"


def test_answer__not_of_a_seats_line_nor_of_another_mailbox(
    owner: Player, routed: Session, mailbox: Mailbox, script: Script, nothing_written: Any
) -> None:
    speak(routed, DEVICES)
    other = mailbox("support.other", members=MEMBERS)
    elsewhere = owner.api.line("support.other")["id"]
    run_due()
    line = Item.objects.get(session=routed, line_seq=1)
    for post_id in (str(line.pk), elsewhere):
        with nothing_written(Request=1):
            refused(hand(routed, "answer", postId=post_id, body="So.", author=DEVICES), "not-found", post_id)
    assert hand(other, "answer", postId=elsewhere, body="So.", author=DEVICES).status == "completed"


@pytest.mark.parametrize(("action", "more"), [("seatPost", {}), ("answer", {"postId": str(new_uuid())})])
def test_seat_lines__checked_like_a_post(
    owner: Player, mailbox: Mailbox, nothing_written: Any, action: str, more: dict[str, str]
) -> None:
    box = mailbox("support.bare", members=[])
    empty = Session.objects.create(
        organization=owner.organization, owner=owner.user, kind="mailbox", address="no.body"
    )
    with nothing_written(Request=2):
        refused(
            hand(box, action, body="x", author=DEVICES, **more),
            "author-not-a-member",
            "support.bare",
            DEVICES,
        )
        refused(hand(empty, action, body="x", author=DEVICES, **more), "mailbox-not-bound")


def test_seat_post__a_line_that_wakes_nobody(owner: Player, routed: Session, script: Script) -> None:
    spoken = speak(routed, ORDERS, "It is on its way.")
    (line,) = owner.api.transcript(BOX)
    assert spoken.output == line
    assert (line["author"], line["seatAuthored"], line["principal"]) == (ORDERS, True, "ada")
    assert "passname" not in line
    told = Request.objects.get(action="onPosted").output
    assert [entry["delivered"] for entry in told] == [False] * 3
    assert script.heard == []


@pytest.mark.parametrize("action", ["answer", "seatPost", "onPosted"])
def test_entries__no_client_reaches_them(
    owner: Player, routed: Session, nothing_written: Any, action: str
) -> None:
    given = {"body": "x", "author": DEVICES, "postId": str(new_uuid()), "principal": "ada"}
    with nothing_written():
        answer = owner.api.act(BOX, action, given)
    assert (answer.status_code, answer.json()["code"]) == (404, "no-such-action")
