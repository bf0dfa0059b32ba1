"""The fallback step of waking."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from mailboxes.registering import check_steps
from tests.conftest import Mailbox, Player
from tests.mailboxes.routes import BOX, MEMBERS, Script, fan_out, post, speak, woken
from workforce import clock
from workforce.errors import Unavailable
from workforce.kinds.posts import PostDelivery
from workforce.models import Request, Seat, Session

DEVICES, ORDERS, GENERAL = MEMBERS
STEP = "tests.mailboxes.services.test_standing_in.step"
calls: list[PostDelivery] = []
#: What happens when the step is called for a member.
happens: dict[str, Callable[[], Any]] = {}


def step(delivery: PostDelivery) -> None:
    """The step that these tests name by its dotted path."""
    calls.append(delivery)
    if delivery.member in happens:
        happens[delivery.member]()


def fail(error: Exception) -> None:
    raise error


@pytest.fixture
def box(mailbox: Mailbox, seat: Callable[..., Seat], script: Script, settings: Any) -> Session:
    """Three members: one with a seat, two without."""
    calls.clear()
    happens.clear()
    settings.MAILBOX_WAKE_FALLBACK = STEP
    seat(DEVICES, kind="listener")
    return mailbox(BOX, members=MEMBERS)


def test_fallback__for_each_member_without_a_seat(owner: Player, box: Session) -> None:
    post_id = post(owner, author=ORDERS)
    assert woken(post_id) == [DEVICES]
    assert [call.member for call in calls] == [ORDERS, GENERAL]
    first = calls[0]
    assert (first.mailbox_id, first.post_id, first.body) == (BOX, post_id, "It beeps.")
    assert (first.principal, first.author, first.seat_authored, first.routed) == ("ada", ORDERS, None, None)
    assert fan_out(post_id).output == [{"member": member, "delivered": True} for member in MEMBERS]


def test_fallback__on_a_seats_line_too(owner: Player, box: Session) -> None:
    speak(box, DEVICES)
    assert [call.member for call in calls] == [ORDERS, GENERAL]
    assert calls[0].seat_authored is True
    output = Request.objects.get(action="onPosted").output
    assert [entry["delivered"] for entry in output] == [False, True, True]


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (RuntimeError("no line to the pager"), "RuntimeError: no line to the pager"),
        (Unavailable("away"), "unavailable: away"),
    ],
)
def test_fallback__a_failure_is_recorded_and_stops_nobody(
    owner: Player, box: Session, fault: Exception, reason: str
) -> None:
    happens[ORDERS] = partial(fail, fault)
    post_id = post(owner)
    assert fan_out(post_id).status == "completed"
    assert fan_out(post_id).output == [
        {"member": DEVICES, "delivered": True},
        {"member": ORDERS, "delivered": False, "reason": reason},
        {"member": GENERAL, "delivered": True},
    ]


def test_fallback__none_set_and_nothing_happens(owner: Player, box: Session, settings: Any) -> None:
    settings.MAILBOX_WAKE_FALLBACK = ""
    post_id = post(owner)
    assert calls == []
    assert [entry["delivered"] for entry in fan_out(post_id).output] == [True, False, False]


def test_fallback__an_aborted_fan_out_stops_calling(owner: Player, box: Session) -> None:
    aborted = Request.objects.filter(action="onPosted")
    happens[ORDERS] = lambda: aborted.update(abort_requested_at=clock.now())
    post_id = post(owner)
    assert [call.member for call in calls] == [ORDERS]
    assert (fan_out(post_id).status, woken(post_id)) == ("aborted", [])


def test_fallback__a_seat_hired_meanwhile_is_not_told_twice(
    owner: Player, box: Session, seat: Callable[..., Seat]
) -> None:
    happens[ORDERS] = partial(seat, ORDERS, kind="listener")
    post_id = post(owner)
    assert [call.member for call in calls] == [ORDERS, GENERAL]
    assert woken(post_id) == [DEVICES]
    assert woken(post(owner)) == [DEVICES, ORDERS]


@pytest.mark.parametrize("name", ["MAILBOX_WAKE_FALLBACK", "ROUTE_EVALUATOR"])
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("nothing.of.this.name", "cannot be imported"),
        ("tests.mailboxes.routes.BOX", "no callable"),
        ("sometimes", "dotted path"),
        (7, "dotted path"),
    ],
)
def test_start__refuses_what_cannot_be_called(settings: Any, name: str, path: object, words: str) -> None:
    setattr(settings, name, path)
    with pytest.raises(ImproperlyConfigured, match=f"{name}.*{words}"):
        check_steps()


@pytest.mark.parametrize("named", ["offline", "model", "tests.mailboxes.routes.evaluate"])
def test_start__takes_the_built_in_evaluators_and_a_path(settings: Any, named: str) -> None:
    settings.ROUTE_EVALUATOR = named
    settings.MAILBOX_WAKE_FALLBACK = STEP
    check_steps()
