"""A user's own conversation with a worker: one, on the worker's kind, and not to be squatted."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from tests.conftest import Player
from tests.workforce.hires import hire
from workforce import clock
from workforce.errors import NoSuchFlow, NotFound
from workforce.ids import derived_session_id
from workforce.models import Seat, Session
from workforce.services.conversing import ensure_worker_session
from workforce.services.workers import fire_worker
from workforce.workererrors import NoConversation

Standard = Callable[..., Seat]


def derived(player: Player, seat: Seat) -> str:
    return derived_session_id("worker", player.organization.pk, player.user.pk, seat.pk, seat.kind)


def test_ensure__makes_one_and_finds_it(owner: Player, stranger: Player, seat: Standard) -> None:
    lead = seat("support.lead")
    session, made = ensure_worker_session(caller=owner.caller, worker_id="support.lead")
    assert made
    assert (session.address, session.owner, session.seat, session.kind, session.parent, session.topic) == (
        derived(owner, lead), owner.user, lead, "agent", None, "",
    )  # fmt: skip
    assert ensure_worker_session(caller=owner.caller, worker_id="support.lead") == (session, False)
    other, made = ensure_worker_session(caller=stranger.caller, worker_id="support.lead")
    assert made
    assert (other.owner, other.pk == session.pk) == (stranger.user, False)


def test_ensure__the_most_recent_on_the_present_kind(
    owner: Player, seat: Standard, mailbox: Standard
) -> None:
    lead = seat("support.lead")
    common = {"organization": owner.organization, "owner": owner.user, "seat": lead}
    recent = Session.objects.create(address="a", kind="agent", **common)
    Session.objects.create(address="b", kind="agent", updated_at=clock.now().replace(year=2020), **common)
    Session.objects.create(address="c", kind="coordinator", **common)
    Session.objects.create(address="d", kind="agent", parent=mailbox(), topic="mailbox", **common)
    assert ensure_worker_session(caller=owner.caller, worker_id="support.lead") == (recent, False)


def test_ensure__ones_own_worker_first(owner: Player, seat: Standard) -> None:
    seat("support.lead")
    own = seat("support.lead", owner=owner.user)
    session, _ = ensure_worker_session(caller=owner.caller, worker_id="support.lead")
    assert session.seat == own
    fire_worker(caller=owner.caller, worker_id="support.lead")
    other, made = ensure_worker_session(caller=owner.caller, worker_id="support.lead")
    assert (made, other.seat == own) == (True, False)


@pytest.mark.parametrize("squatter", ["another user", "the user"])
def test_ensure__an_address_that_is_taken_is_neither_used_nor_touched(
    owner: Player, stranger: Player, seat: Standard, squatter: str
) -> None:
    lead = seat("support.lead")
    user = stranger.user if squatter == "another user" else owner.user
    there = Session.objects.create(
        organization=owner.organization, owner=user, address=derived(owner, lead), kind="agent", title="Mine."
    )
    before = Session.objects.values().get(pk=there.pk)
    session, made = ensure_worker_session(caller=owner.caller, worker_id="support.lead")
    assert made
    assert (session.owner, session.seat, session.pk == there.pk) == (owner.user, lead, False)
    assert ensure_worker_session(caller=owner.caller, worker_id="support.lead") == (session, False)
    assert Session.objects.values().get(pk=there.pk) == before


@pytest.mark.parametrize("there", ["never was", "another user's", "fired", "retired"])
def test_ensure__no_worker_no_session(
    owner: Player,
    stranger: Player,
    seat: Standard,
    nothing_written: Callable[..., AbstractContextManager[None]],
    there: str,
) -> None:
    if there == "another user's":
        hire(stranger, "theirs")
    elif there == "fired":
        hire(owner, "theirs")
        fire_worker(caller=owner.caller, worker_id="theirs")
    elif there == "retired":
        seat("theirs", retired_at=clock.now())
    with nothing_written(), pytest.raises(NotFound, match="^there is no worker 'theirs'$"):
        ensure_worker_session(caller=owner.caller, worker_id="theirs")


def test_ensure__a_worker_that_only_takes_tasks(
    owner: Player, seat: Standard, nothing_written: Callable[..., AbstractContextManager[None]]
) -> None:
    seat("support.tidy", kind="handler", settings={"handler": "tidy"})
    with nothing_written(), pytest.raises(NoConversation, match="'support.tidy'.*'handler'"):
        ensure_worker_session(caller=owner.caller, worker_id="support.tidy")


def test_ensure__a_kind_that_is_gone_is_no_conversation(owner: Player, seat: Standard) -> None:
    seat("support.lead", kind="gone")
    with pytest.raises(NoSuchFlow):
        ensure_worker_session(caller=owner.caller, worker_id="support.lead")
    assert not Session.objects.exists()
