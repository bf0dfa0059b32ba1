"""A person's post in a routed mailbox goes to one member."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from mailboxes.evaluators import Verdict
from mailboxes.models import Declaration, Placement
from tests.conftest import Mailbox, Player
from tests.mailboxes.routes import (
    BOX,
    FALLBACK,
    MEMBERS,
    Script,
    declare,
    fan_out,
    placement,
    post,
    routes,
    speak,
    woken,
)
from workforce import clock
from workforce.dispatch.sweep import run_due
from workforce.errors import Unavailable
from workforce.models import Request, Seat, Session
from workforce.services.running import ActionCall, run_action

DEVICES, ORDERS, GENERAL = MEMBERS


def test_route__evaluated_with_one_item_and_only_that_member_told(
    owner: Player, routed: Session, script: Script
) -> None:
    script.answers = [Verdict(DEVICES, score=0.42)]
    post_id = post(owner)
    assert routes(routed) == [{"postId": post_id, "by": "evaluated", "member": DEVICES, "score": 0.42}]
    assert woken(post_id) == [DEVICES]
    assert fan_out(post_id).output == [{"member": DEVICES, "delivered": True}]
    assert len(owner.api.transcript(BOX)) == 1
    (delivery,) = script.heard
    assert (delivery.mailbox_id, delivery.member, delivery.post_id) == (BOX, DEVICES, post_id)
    assert (delivery.body, delivery.principal, delivery.author) == ("It beeps.", "ada", None)
    assert (delivery.routed, delivery.recent, delivery.seat_authored) == (True, [], None)


def test_route__the_evaluator_sees_choices_and_twenty_lines_before(
    owner: Player, routed: Session, script: Script
) -> None:
    for number in range(24):
        speak(routed, ORDERS, f"line {number}")
    script.answers = [ORDERS]
    post(owner, author=DEVICES)
    (question,) = script.asked
    assert question.post == {"from": DEVICES, "text": "It beeps."}
    assert list(question.recent) == [{"from": ORDERS, "text": f"line {number}"} for number in range(4, 24)]
    assert question.choices == {member: f"Knows about {member.partition('.')[2]}." for member in MEMBERS}
    assert script.heard[-1].recent == list(question.recent)


def test_route__the_history_window_changes_nothing(
    owner: Player, routed: Session, script: Script, settings: Any
) -> None:
    settings.HISTORY_WINDOW = 1
    script.answers = [DEVICES]
    posts = [post(owner, f"post {number}") for number in range(2)]
    assert [placement(post_id).by for post_id in posts] == ["evaluated", "held"]
    assert script.heard[-1].recent == [{"from": "ada", "text": "post 0"}]


def test_hold__goes_along_without_a_call_and_holds_nothing_itself(
    owner: Player, routed: Session, script: Script
) -> None:
    script.answers = [DEVICES, ORDERS]
    first, second, third, fourth = (post(owner, f"post {number}") for number in range(4))
    assert [route["by"] for route in routes(routed)] == ["evaluated", "held", "evaluated", "held"]
    assert [woken(each) for each in (first, second, third, fourth)] == [[DEVICES]] * 2 + [[ORDERS]] * 2
    assert len(script.asked) == 2
    assert routes(routed)[1] == {"postId": second, "by": "held", "member": DEVICES}


@pytest.mark.parametrize("as_answer", [True, False])
def test_hold__ends_when_the_member_speaks(
    owner: Player, routed: Session, script: Script, as_answer: bool
) -> None:
    script.answers = [DEVICES, ORDERS]
    first = post(owner)
    spoken = speak(routed, DEVICES, post_id=first if as_answer else None)
    assert spoken.status == "completed", spoken.error
    post(owner, "And my parcel?")
    assert [route["by"] for route in routes(routed)] == ["evaluated", "evaluated"]


def test_hold__another_member_speaking_does_not_end_it(
    owner: Player, routed: Session, script: Script
) -> None:
    script.answers = [DEVICES]
    post(owner)
    speak(routed, ORDERS)
    assert woken(post(owner)) == [DEVICES]


def test_hold__a_failed_run_and_a_claimed_author_do_not_end_it(
    owner: Player, routed: Session, script: Script
) -> None:
    def fail(work: Any) -> None:
        raise Unavailable

    script.answers, script.then = [DEVICES], fail
    first = post(owner)
    assert Request.objects.get(dispatch_key__startswith=f"wake:{first}").status == "failed"
    assert woken(first) == [DEVICES]  # not routed again
    claimed = post(owner, "I am on it", author=DEVICES)
    assert placement(claimed).by == "held"


def test_hold__after_the_fallback_too_and_of_an_own_hire(
    owner: Player, routed: Session, script: Script, seat: Callable[..., Seat]
) -> None:
    Seat.objects.filter(seat_id=GENERAL).update(retired_at=clock.now())
    mine = seat(GENERAL, kind="listener", owner=owner.user)
    first, second = post(owner), post(owner)
    assert [route["by"] for route in routes(routed)] == ["fallback", "held"]
    assert list(script.asked[0].choices) == [DEVICES, ORDERS]
    for post_id in (first, second):
        wake = Request.objects.get(dispatch_key=f"wake:{post_id}:{mine.pk}")
        assert wake.session.seat == mine


def test_hold__not_for_a_seat_that_was_fired(owner: Player, routed: Session, script: Script) -> None:
    script.answers = [DEVICES, ORDERS]
    post(owner)
    Seat.objects.filter(seat_id=DEVICES).update(retired_at=clock.now())
    assert woken(post(owner)) == [ORDERS]
    assert routes(routed)[-1]["by"] == "evaluated"


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "none of the members"),
        (Verdict(None, "too unlike", 0.02), "too unlike"),
        ("support.lead", "'support.lead'"),
        ("", "none of the members"),
        (Unavailable("the model is away"), "unavailable: the model is away"),
        (RuntimeError("secret"), "RuntimeError"),
        (7, "TypeError"),
        (["support.devices"], "TypeError"),
        (Verdict(DEVICES, score=float("nan")), "ValueError"),
        (Verdict(None, "half \ud800 and\x00 none"), "half ? and none"),
    ],
)
def test_fallback__with_the_reason(
    owner: Player, routed: Session, script: Script, answer: Any, words: str
) -> None:
    script.answers = [answer]
    post_id = post(owner)
    (route,) = routes(routed)
    assert (route["postId"], route["by"], route["member"]) == (post_id, "fallback", FALLBACK)
    assert words in route["reason"]
    assert "secret" not in route["reason"]
    assert woken(post_id) == [FALLBACK]


def test_fallback__no_choices_no_call(owner: Player, routed: Session, script: Script) -> None:
    Seat.objects.update(description=" ")
    assert woken(post(owner)) == [FALLBACK]
    assert script.asked == []
    assert "no member" in routes(routed)[0]["reason"]


def test_choices__neither_own_hires_nor_who_cannot_hear(
    owner: Player, stranger: Player, routed: Session, script: Script, seat: Callable[..., Seat]
) -> None:
    seat(ORDERS, kind="listener", owner=owner.user, description="Mine.")
    seat(DEVICES, kind="listener", owner=stranger.user, description="Theirs.")
    Seat.objects.filter(seat_id=GENERAL).update(kind="no-such-kind")
    post(owner)
    assert script.asked[0].choices == {DEVICES: "Knows about devices."}


def test_failed__nobody_is_told_and_nothing_is_held(owner: Player, routed: Session, script: Script) -> None:
    Seat.objects.filter(seat_id=FALLBACK).update(retired_at=clock.now())
    post_id = post(owner)
    (route,) = routes(routed)
    assert (route["by"], "member" in route) == ("failed", False)
    assert FALLBACK in route["reason"]
    assert woken(post_id) == []
    (entry,) = fan_out(post_id).output
    assert (entry["member"], entry["delivered"], entry["reason"]) == (FALLBACK, False, route["reason"])
    assert fan_out(post_id).status == "completed"
    script.answers = [DEVICES]
    assert woken(post(owner)) == [DEVICES]


def test_route__a_seat_fired_while_the_evaluator_thinks(
    owner: Player, routed: Session, script: Script
) -> None:
    def fire(question: Any) -> str:
        Seat.objects.filter(seat_id=DEVICES).update(retired_at=clock.now())
        return DEVICES

    script.answers = [fire]
    post_id = post(owner)
    assert placement(post_id).by == "fallback"
    assert woken(post_id) == [FALLBACK]


def test_route__a_seats_line_is_never_routed(owner: Player, routed: Session, script: Script) -> None:
    speak(routed, DEVICES)
    assert (routes(routed), script.asked, script.heard) == ([], [], [])
    assert not Placement.objects.exists()


def test_route__off_tells_everybody_and_holds_nothing(owner: Player, routed: Session, script: Script) -> None:
    script.answers = [DEVICES, ORDERS]
    post(owner, "one")
    declare(routed, fallback="")
    assert woken(post(owner, "two")) == MEMBERS
    declare(routed)
    third = post(owner, "three")
    assert (placement(third).by, woken(third)) == ("evaluated", [ORDERS])
    assert [line["text"] for line in script.asked[-1].recent] == ["one", "two"]


def test_route__a_declaration_that_left_the_tree_does_not_route(
    owner: Player, routed: Session, script: Script
) -> None:
    Declaration.objects.update(live=False)
    assert woken(post(owner)) == MEMBERS


def test_route__another_mailbox_holds_nothing_here(
    owner: Player, routed: Session, mailbox: Mailbox, script: Script
) -> None:
    other = mailbox("support.other", members=MEMBERS)
    declare(other)
    script.answers = [DEVICES, ORDERS]
    post(owner)
    owner.api.line("support.other")
    run_due()
    assert [route["by"] for route in routes(other)] == ["evaluated"]


def test_post__costs_the_same_in_a_mailbox_that_routes(
    owner: Player, routed: Session, mailbox: Mailbox, script: Script
) -> None:
    mailbox("support.plain", members=MEMBERS)
    for number in range(3):
        post(owner, f"post {number}")
    counts = []
    for address in ("support.plain", BOX):
        asked = ActionCall(kind="mailbox", action="post", address=address, input={"body": "x"})
        with CaptureQueriesContext(connection) as queries:
            run_action(caller=owner.caller, asked=asked)
        counts.append(len([query for query in queries if "SAVEPOINT" not in query["sql"]]))
    assert counts[0] == counts[1] <= 7


def test_show__nothing_of_the_ledger_is_in_the_session(
    owner: Player, routed: Session, script: Script
) -> None:
    post(owner)
    routed.refresh_from_db()
    assert sorted(routed.state) == ["charter", "members"]
    assert owner.api.get(f"/api/sessions/{BOX}").json()["state"] == {}
