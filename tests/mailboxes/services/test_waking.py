"""Telling the members of a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from mailboxes.services.posting import post_line
from tests.conftest import Mailbox, Player
from workforce import clock
from workforce.dispatch.run import try_run
from workforce.dispatch.sweep import run_due
from workforce.ids import derived_session_id
from workforce.kinds import Call
from workforce.kinds.posts import PostDelivery
from workforce.models import Request, Seat, Session

Hire = Callable[..., Seat]


def fan_out() -> Request:
    return Request.objects.filter(action="onPosted").latest("id")


def wakes() -> list[Request]:
    return list(Request.objects.filter(action="onMailboxPost").select_related("session__seat").order_by("id"))


def told(owner: Player, **input: Any) -> list[dict[str, Any]]:
    """Post a line and run its fan-out alone; what became of each member."""
    owner.api.line("support.help", **input)
    assert try_run(fan_out().uid)
    output: list[dict[str, Any]] = fan_out().output
    return output


def delivered(*members: str) -> list[dict[str, Any]]:
    return [{"member": member, "delivered": True} for member in members]


def test_tell__each_member_once_in_its_own_conversation(owner: Player, mailbox: Mailbox, seat: Hire) -> None:
    box = mailbox(members=["support.lead", "support.night"])
    lead, night = seat("support.lead"), seat("support.night")
    line_id = owner.api.line("support.help", "It beeps.", author="support.lead")["id"]
    assert try_run(fan_out().uid)
    assert fan_out().output == delivered("support.lead", "support.night")
    first, second = wakes()
    assert [first.session.seat, second.session.seat] == [lead, night]
    for wake in (first, second):
        child = wake.session
        assert (child.parent, child.owner, child.kind, child.organization) == (
            box,
            owner.user,
            "agent",
            owner.organization,
        )
        assert (wake.status, wake.serial, wake.parent_uid) == ("pending", True, fan_out().uid)
        assert wake.chain_uid == Request.objects.get(action="post").uid
    delivery = {"mailboxId": "support.help", "member": "support.lead", "postId": line_id, "body": "It beeps."}
    assert first.input == {**delivery, "principal": "ada", "author": "support.lead"}


def test_tell__later_posts_reuse_the_conversation(owner: Player, mailbox: Mailbox, seat: Hire) -> None:
    mailbox(members=["support.lead"])
    seat("support.lead")
    for body in ("one", "two"):
        assert told(owner, body=body) == delivered("support.lead")
    first, second = wakes()
    assert first.session == second.session
    said = [PostDelivery.model_validate(wake.input).line() for wake in (first, second)]
    assert said == ["ada in support.help: one", "ada in support.help: two"]


def test_tell__two_mailboxes_are_two_conversations(owner: Player, mailbox: Mailbox, seat: Hire) -> None:
    seat("support.lead")
    for address in ("support.help", "support.later"):
        mailbox(address, members=["support.lead"])
        owner.api.line(address)
    run_due()
    assert len({wake.session_id for wake in wakes()}) == 2


def test_tell__run_twice_wakes_each_seat_once(owner: Player, mailbox: Mailbox, seat: Hire) -> None:
    mailbox(members=["support.lead", "support.night"])
    seat("support.lead")
    told(owner)
    seat("support.night")  # hired after the first run
    Request.objects.filter(pk=fan_out().pk).update(status="pending")
    assert try_run(fan_out().uid)
    assert fan_out().output == delivered("support.lead", "support.night")
    assert [wake.input["member"] for wake in wakes()] == ["support.lead", "support.night"]


def test_tell__members_without_a_hearing_seat(owner: Player, mailbox: Mailbox, seat: Hire) -> None:
    mailbox(members=["support.lead", "support.gone", "support.deaf", "support.none"])
    seat("support.lead")
    seat("support.gone", retired_at=clock.now())
    seat("support.deaf", kind="no-such-kind")
    output = told(owner)
    assert output[0] == {"member": "support.lead", "delivered": True}
    assert [entry["delivered"] for entry in output[1:]] == [False] * 3
    assert all("no seat" in entry["reason"] for entry in output[1:])
    assert [wake.input["member"] for wake in wakes()] == ["support.lead"]


def test_tell__the_own_seat_first_and_never_another_users(
    owner: Player, stranger: Player, outsider: Player, mailbox: Mailbox, seat: Hire
) -> None:
    mailbox(members=["support.lead", "support.other", "support.theirs"])
    seat("support.lead")
    mine = seat("support.lead", owner=owner.user)
    seat("support.lead", owner=stranger.user)
    seat("support.other", owner=stranger.user)
    seat("support.theirs", organization=outsider.organization)
    assert [entry["delivered"] for entry in told(owner)] == [True, False, False]
    assert [wake.session.seat for wake in wakes()] == [mine]


def test_tell__a_seat_hired_later_hears_from_then_on(owner: Player, mailbox: Mailbox, seat: Hire) -> None:
    mailbox(members=["support.lead"])
    assert told(owner)[0]["delivered"] is False
    seat("support.lead")
    assert told(owner, body="second") == delivered("support.lead")
    assert [wake.input["body"] for wake in wakes()] == ["second"]


def test_tell__the_claimed_author_is_woken_too(owner: Player, mailbox: Mailbox, seat: Hire) -> None:
    mailbox(members=["support.lead"])
    seat("support.lead")
    assert told(owner, author="support.lead") == delivered("support.lead")
    (wake,) = wakes()
    assert PostDelivery.model_validate(wake.input).line() == "support.lead in support.help: Hello."


def test_tell__a_retry_by_an_operator_wakes_each_seat_once(
    owner: Player, mailbox: Mailbox, seat: Hire
) -> None:
    """What the worker gave up as abandoned may have been done: the hand-offs are known by their keys."""
    mailbox(members=["support.lead"])
    seat("support.lead")
    told(owner)
    first = fan_out()
    again = Request.objects.create(
        session=first.session, action="onPosted", source="dispatch", input=first.input, retry_of_uid=first.uid
    )
    assert try_run(again.uid)
    again.refresh_from_db()
    assert (again.output, len(wakes())) == (delivered("support.lead"), 1)


def test_tell__a_conversation_removed_is_made_anew(owner: Player, mailbox: Mailbox, seat: Hire) -> None:
    mailbox(members=["support.lead"])
    seat("support.lead")
    told(owner)
    Session.objects.get(seat__isnull=False).delete()
    assert told(owner, body="second") == delivered("support.lead")
    assert [wake.input["body"] for wake in wakes()] == ["second"]


def test_tell__a_seat_of_another_kind_hears_in_a_conversation_of_that(
    owner: Player, mailbox: Mailbox, seat: Hire
) -> None:
    """A session's kind is fixed; a kind that comes back finds its conversation again."""
    mailbox(members=["support.lead", "support.other"])
    lead, _ = seat("support.lead"), seat("support.other")
    for kind in ("agent", "coordinator", "agent", "coordinator"):
        Seat.objects.filter(pk=lead.pk).update(kind=kind)
        told(owner)
    heard = [wake.session for wake in wakes() if wake.session.seat == lead]
    kinds = [(session.kind, session.topic) for session in heard]
    assert kinds == [("agent", "mailbox"), ("coordinator", "mailbox:coordinator")] * 2
    assert len({session.pk for session in heard}) == 2
    Seat.objects.filter(pk=lead.pk).update(kind="handler")
    assert [entry["delivered"] for entry in told(owner)] == [False, True]


def test_wake__in_a_conversation_of_another_kind_takes_no_turn(
    owner: Player, mailbox: Mailbox, seat: Hire
) -> None:
    mailbox(members=["support.lead"])
    seat("support.lead")
    told(owner)
    for kind in ("handler", "coordinator"):
        Seat.objects.update(
            kind=kind, settings={"handler": "x"} if kind == "handler" else {"delegates": ["a"]}
        )
        Request.objects.filter(action="onMailboxPost").update(status="pending", attempts=0)
        run_due()
        (wake,) = wakes()
        assert (wake.status, wake.error["code"]) == ("failed", "worker-unreadable")
        assert f"of the kind '{kind}' now" in wake.error["message"]


def test_tell__a_line_of_a_seat_wakes_nobody(owner: Player, mailbox: Mailbox, seat: Hire) -> None:
    box = mailbox(members=["support.lead", "support.night"])
    seat("support.lead")
    request = Request.objects.create(session=box, action="seatPost", source="dispatch", status="completed")
    call = Call(session=box, request=request, input=None)
    line = post_line(call=call, body="Done.", author="support.lead", seat_authored=True)
    Request.objects.bulk_create(call.owed)
    request.save()
    assert (line.seat_authored, line.principal, line.passname) == (True, "ada", "")
    assert owner.api.transcript("support.help")[0]["seatAuthored"] is True
    run_due()
    assert [entry["delivered"] for entry in fan_out().output] == [False, False]
    assert wakes() == []


def test_tell__a_known_address_cannot_be_taken_to_overhear(
    owner: Player, stranger: Player, mailbox: Mailbox, seat: Hire
) -> None:
    box = mailbox(members=["support.lead"])
    lead = seat("support.lead")
    guessed = derived_session_id("mailbox", box.pk, lead.pk)
    answer = stranger.api.post("/api/sessions", {"flowKind": "mailbox", "sessionId": guessed})
    assert answer.status_code == 201
    assert told(owner) == delivered("support.lead")
    assert wakes()[0].session.owner == owner.user
    assert not Request.objects.filter(session__owner=stranger.user).exists()


@pytest.mark.parametrize("number", [1, 20])
def test_tell__a_constant_number_of_queries(
    owner: Player, mailbox: Mailbox, seat: Hire, django_assert_max_num_queries: Any, number: int
) -> None:
    members = [f"support.seat-{place}" for place in range(number)]
    mailbox(members=members)
    for member in members:
        seat(member)
    owner.api.line("support.help")
    with django_assert_max_num_queries(23):
        assert try_run(fan_out().uid)
    assert len(wakes()) == number


def test_tell__lines_in_the_order_they_were_posted(owner: Player, mailbox: Mailbox, seat: Hire) -> None:
    """Two workers, two fan-outs: a seat must not hear the second line before the first."""
    mailbox(members=["support.lead"])
    seat("support.lead")
    for body in ("one", "two"):
        owner.api.line("support.help", body=body)
    first, second = Request.objects.filter(action="onPosted").order_by("id")
    assert not try_run(second.uid)
    assert try_run(first.uid)
    assert try_run(second.uid)
    heard = Request.objects.filter(action="onMailboxPost").order_by("id")
    assert [wake.input["body"] for wake in heard] == ["one", "two"]
