"""A post that the mailbox routed to a coordinator and that nobody takes: it ends as with a turn that failed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from mailboxes.models import Declaration
from messaging.delegation.services.landing import give_up_lost
from tests.conftest import Mailbox, Player
from tests.mailboxes.routes import BOX, Script, answers, post, routes
from tests.messaging.delegation.conftest import judge as judge
from tests.messaging.delegation.offices import Judge, Office, errors, lines
from workforce import clock
from workforce.dispatch.sweep import run_due
from workforce.models import Request, Seat, Session
from workforce.turns.models import forget_model

pytestmark = pytest.mark.django_db
MODES = ["judgment", "best-fit", "round-robin", "everyone"]


@pytest.fixture
def office(owner: Player, mailbox: Mailbox, script: Script) -> Iterator[Office]:
    """A mailbox that routes every post to a coordinator."""
    box = mailbox(BOX, members=["lead", "desk"])
    values = {"kind": "mailbox", "members": ["lead", "desk"], "fallback": "lead", "live": True}
    Declaration.objects.create(organization=box.organization, mailbox_id=BOX, **values)
    made = Office(owner)
    made.register()
    yield made
    forget_model("office:")


def send(office: Office, mode: str) -> str:
    """A post, and everything that follows from it."""
    if not Seat.objects.filter(seat_id="lead").exists():
        office.lead(mode, "scout", "clerk")
    found = post(office.owner)
    office.work()
    run_due()
    return found


def below(worker: str = "lead") -> Session:
    return Session.objects.get(seat__seat_id=worker, topic="mailbox")


def failed() -> list[tuple[str, str]]:
    rows = Request.objects.filter(status="failed").order_by("pk")
    return [(row.action, (row.error or {})["code"]) for row in rows]


def nobody(session: Session) -> list[str]:
    return [text for _, author, text in lines(session) if text.startswith("Nobody took this post:")]


def check_unanswered(office: Office, post_id: str) -> None:
    """The post stands alone in the mailbox, can still be answered, and was not routed again."""
    assert [line["id"] for line in office.owner.api.transcript(BOX)] == [post_id]
    assert (answers(post_id), len(routes(Session.objects.get(address=BOX)))) == (0, 1)
    assert not Request.objects.filter(status__in=Request.UNFINISHED).exists()


@pytest.mark.parametrize("mode", ["round-robin", "everyone"])
def test_post__without_a_delegate_to_reach_has_failed(mode: str, office: Office, judge: Judge) -> None:
    office.lead(mode, "scout", "clerk")
    Seat.objects.filter(seat_id__in=["scout", "clerk"]).update(retired_at=clock.now())
    post_id = send(office, mode)
    assert failed() == [("onMailboxPost", "nobody-took-it")]
    assert len(nobody(below())) == 1
    check_unanswered(office, post_id)


@pytest.mark.parametrize("mode", ["judgment", "best-fit"])
def test_post__that_fits_nobody_and_whose_own_turn_fails_has_failed(
    mode: str, office: Office, judge: Judge
) -> None:
    office.script("lead", "")
    post_id = send(office, mode)
    assert failed() == [("onMailboxPost", "empty-answer")]
    assert errors(below()) == ["empty-answer"]
    assert len(nobody(below())) == (1 if mode == "best-fit" else 0)
    check_unanswered(office, post_id)


def test_post__whose_pick_was_fired_meanwhile_has_failed(office: Office, judge: Judge) -> None:
    office.lead("best-fit", "scout", "clerk")

    def pick(question: Any) -> Any:
        Seat.objects.filter(seat_id="scout").update(retired_at=clock.now())
        judge.picks("scout")
        return judge.verdict

    from workforce import evaluating

    evaluating._JUDGES[:] = [pick]
    post_id = send(office, "best-fit")
    assert failed() == [("onMailboxPost", "nobody-took-it")]
    check_unanswered(office, post_id)


def fail_all(office: Office, judge: Judge) -> None:
    """Whoever is handed the post says nothing, which is a failure."""
    office.script("lead", [("handOff", {"worker": "scout"}), ("handOff", {"worker": "clerk"})], "")
    office.script("scout", "")
    office.script("clerk", "")
    judge.picks("scout")


@pytest.mark.parametrize("mode", MODES)
def test_post__whose_delegates_all_failed_has_failed_once(mode: str, office: Office, judge: Judge) -> None:
    fail_all(office, judge)
    post_id = send(office, mode)
    handed = Request.objects.filter(action="onDelegatedPost").count()
    assert handed == (2 if mode in ("judgment", "everyone") else 1)
    assert [one for one in failed() if one[0] != "onDelegatedPost"] == [
        ("onDelegateAnswer", "nobody-took-it")
    ]
    assert errors(below()) == ["delegate-failed"] * handed
    assert nobody(below()) == ["Nobody took this post: every delegate that had it failed"]
    check_unanswered(office, post_id)


@pytest.mark.parametrize("mode", MODES)
def test_post__whose_delegates_were_all_lost_has_failed_once(mode: str, office: Office, judge: Judge) -> None:
    fail_all(office, judge)
    office.script("scout", RuntimeError("a defect"))
    office.script("clerk", RuntimeError("a defect"))
    post_id = send(office, mode)
    assert {code for _, code in failed()} == {"internal-error"}
    assert give_up_lost() > 0
    office.work()
    assert failed()[-1] == ("onDelegateAnswer", "nobody-took-it")
    assert len(nobody(below())) == 1
    check_unanswered(office, post_id)


@pytest.mark.parametrize("mode", ["judgment", "everyone"])
def test_post__that_one_of_the_delegates_answered_has_not_failed(
    mode: str, office: Office, judge: Judge
) -> None:
    fail_all(office, judge)
    office.script("scout", "Hold both buttons.")
    send(office, mode)
    assert [line["body"] for line in office.owner.api.transcript(BOX)] == ["It beeps.", "Hold both buttons."]
    assert {action for action, _ in failed()} == {"onDelegatedPost"}
    assert nobody(below()) == []


def test_post__that_the_coordinator_answered_itself_has_not_failed(office: Office, judge: Judge) -> None:
    office.script("lead", "Hold the button.")
    send(office, "judgment")
    assert [line["body"] for line in office.owner.api.transcript(BOX)] == ["It beeps.", "Hold the button."]
    assert nobody(below()) == []


def test_post__that_was_handed_on_with_a_word_is_answered_by_the_delegate(
    office: Office, judge: Judge
) -> None:
    """That it was handed on is said to the coordinator's conversation, not to whoever asked."""
    office.script("lead", [("handOff", {"worker": "scout"})], "Scout looks into it.")
    office.script("scout", "The battery is low.")
    send(office, "judgment")
    lines = [(line.get("author"), line["body"]) for line in office.owner.api.transcript(BOX)]
    assert lines == [(None, "It beeps."), ("lead", "The battery is low.")]


def test_post__that_was_handed_on_with_a_word_and_failed_is_unanswered(office: Office, judge: Judge) -> None:
    fail_all(office, judge)
    office.script("lead", [("handOff", {"worker": "scout"})], "Scout looks into it.")
    post_id = send(office, "judgment")
    assert "nobody-took-it" in [code for _, code in failed()]
    check_unanswered(office, post_id)


def test_post__that_the_coordinator_answered_with_its_tool_has_not_failed(
    office: Office, judge: Judge
) -> None:
    fail_all(office, judge)
    office.script(
        "lead", [("post-to-mailbox", {"mailbox": BOX, "body": "Wait."}), ("handOff", {"worker": "scout"})], ""
    )
    office.lead("judgment", "scout", tools=["post-to-mailbox"])
    send(office, "judgment")
    assert [line["body"] for line in office.owner.api.transcript(BOX)] == ["It beeps.", "Wait."]
    assert nobody(below()) == []


def test_next_post__is_held_once_for_the_coordinator_as_for_any_seat_that_failed(
    office: Office, judge: Judge, script: Script
) -> None:
    fail_all(office, judge)
    for _ in range(3):
        send(office, "everyone")
    assert [route["by"] for route in routes(Session.objects.get(address=BOX))] == [
        "fallback", "held", "fallback",
    ]  # fmt: skip
    assert len(nobody(below())) == 3


def test_line__of_a_talk_that_nobody_took_completes_as_before(office: Office, judge: Judge) -> None:
    talk = office.lead("everyone", "scout")
    Seat.objects.filter(seat_id="scout").update(retired_at=clock.now())
    assert office.say(talk).output == {"handedTo": []}
    assert len(nobody(talk)) == 1
