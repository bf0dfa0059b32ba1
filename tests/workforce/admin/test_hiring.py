"""A user's own workers hired, forked, edited and fired on the roster."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import Client

from tests.factories import make_user
from tests.workforce.admin.conftest import Login, World
from tests.workforce.admin.test_seats import EVIL, ROSTER, make_seat, page_path, words
from workforce.models import Seat
from workforce.services.organizations import ensure_membership

HIRE = {"worker_id": "mine", "flow": "agent", "description": "Helps.", "instructions": "Do.\r\nWell."}


def hired(client: Client, world: World, **fields: str) -> HttpResponse:
    data = {**HIRE, "organization": str(world.organization.pk), "user": world.user.username, **fields}
    return client.post(f"{ROSTER}add/", data)


@pytest.fixture
def member(world: World) -> World:
    ensure_membership(user=world.user, organization=world.organization)
    return world


def test_hire__for_a_member(operator: Client, member: World) -> None:
    form = operator.get(f"{ROSTER}add/").content.decode()
    assert 'name="worker_id"' in form
    answer = hired(operator, member, settings='{"tools": ["read-document"]}')
    seat = Seat.objects.get(seat_id="mine")
    assert answer["Location"] == page_path(seat)
    assert (seat.owner, seat.description, seat.instructions) == (member.user, "Helps.", "Do.\nWell.")
    assert seat.settings == {"tools": ["read-document"]}
    page = operator.get(page_path(seat)).content.decode()
    assert [f"/{seat.pk}/{name}/" in page for name in ("fork", "edit", "fire")] == [True] * 3


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"worker_id": "~x"}, "id: must not start with &#x27;~&#x27;"),
        ({"worker_id": "acme.lead"}, "is a standard worker&#x27;s; choose another id (worker-taken)"),
        ({"settings": '{"modle": 1, "tools": ["x"]}'}, "settings.tools: unknown tool"),
        ({"settings": '{"modle": 1, "tools": ["x"]}'}, "did you mean &#x27;model&#x27;?"),
        ({"settings": "tools: []"}, "This is not JSON"),
        ({"settings": "[" * 100_000}, "This is not JSON"),
        ({"settings": "[]"}, "must be a JSON object"),
        ({"settings": '{"model": "a\\u0000b"}'}, "NUL"),
        ({"settings": '{"x\\ud800": 1}'}, "unknown key"),
        ({"flow": "nonsense"}, "Select a valid choice"),
        ({"user": "nobody-here"}, "There is no member of acme of this name"),
        ({"worker_id": EVIL}, "without a slash"),
    ],
)
def test_hire__refusals_are_shown_and_what_was_typed_stays(
    operator: Client, member: World, fields: dict[str, str], said: str
) -> None:
    before = list(Seat.objects.values())
    answer = hired(operator, member, **{"instructions": "Long thoughts.", **fields})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert said in page
    assert "Long thoughts." in page
    assert EVIL not in page
    assert list(Seat.objects.values()) == before


def test_fork__of_a_standard_worker_for_a_member(operator: Client, member: World) -> None:
    path = page_path(member.seat, "fork")
    assert operator.get(path).status_code == 200
    answer = operator.post(path, {"user": member.user.username, "worker_id": "mine"})
    seat = Seat.objects.get(seat_id="mine")
    assert answer["Location"] == page_path(seat)
    assert (seat.owner, seat.description) == (member.user, member.seat.description)
    again = operator.post(path, {"user": member.user.username, "worker_id": "mine"})
    assert "worker-taken" in again.content.decode()
    stranger = make_user()
    refused = operator.post(path, {"user": stranger.username, "worker_id": "mine"})
    assert "no member of acme" in refused.content.decode()


def test_fork__never_another_worker_than_the_pages(operator: Client, member: World) -> None:
    own = make_seat(member, member.seat.seat_id, owner=member.user)
    data = {"user": member.user.username, "worker_id": "copy"}
    refused = operator.post(page_path(member.seat, "fork"), data)
    assert "means a worker of their own" in refused.content.decode()
    assert not Seat.objects.filter(seat_id="copy").exists()
    operator.post(page_path(own, "fork"), data)
    assert Seat.objects.get(seat_id="copy").description == own.description
    theirs = make_seat(member, "theirs", owner=member.user)
    other = make_user()
    ensure_membership(user=other, organization=member.organization)
    refused = operator.post(page_path(theirs, "fork"), {"user": other.username, "worker_id": "x"})
    assert "there is no worker" in refused.content.decode()


def test_edit__shows_what_is_there_and_changes_it(operator: Client, member: World) -> None:
    seat = make_seat(
        member, "mine", owner=member.user, settings={"concurrency": 2}, instructions="Old words."
    )
    path = page_path(seat, "edit")
    form = operator.get(path).content.decode()
    assert "Old words." in form and "&quot;concurrency&quot;: 2" in form
    answer = operator.post(path, {"flow": "agent", "description": "New.", "instructions": "", "settings": ""})
    assert answer["Location"] == page_path(seat)
    seat.refresh_from_db()
    assert (seat.description, seat.instructions, seat.settings) == ("New.", "", {})
    refused = operator.post(path, {"flow": "agent", "description": " ", "settings": '{"tools": ["x"]}'})
    page = refused.content.decode()
    assert "description: is blank" in page and "settings.tools: unknown tool" in page


def test_fire__by_post(operator: Client, member: World) -> None:
    seat = make_seat(member, "mine", owner=member.user)
    assert operator.get(page_path(seat, "fire")).status_code == 405
    assert "is fired" in words(operator.post(page_path(seat, "fire")))
    seat.refresh_from_db()
    assert seat.retired_at is not None
    assert "there is no worker" in words(operator.post(page_path(seat, "fire")))
    page = operator.get(page_path(seat)).content.decode()
    assert not any(f"/{seat.pk}/{name}/" in page for name in ("fork", "edit", "fire"))
    assert operator.get(page_path(seat, "edit")).status_code == 403


def test_standard_worker__offers_a_fork_only(operator: Client, world: World) -> None:
    page = operator.get(page_path(world.seat)).content.decode()
    offers = [f"/{world.seat.pk}/{name}/" in page for name in ("fork", "edit", "fire")]
    assert offers == [True, False, False]
    assert operator.get(page_path(world.seat, "edit")).status_code == 403
    before = list(Seat.objects.values())
    assert "standard-worker" in words(operator.post(page_path(world.seat, "fire")))
    assert list(Seat.objects.values()) == before


@pytest.mark.parametrize("name", ["add", "fork", "edit", "fire"])
def test_wall__only_those_who_run_the_organization(
    login: Login, world: World, elsewhere: World, name: str
) -> None:
    seat = make_seat(world, "mine", owner=world.user)
    path = f"{ROSTER}add/" if name == "add" else page_path(seat, name)
    before = list(Seat.objects.order_by("pk").values())
    assert login("member").post(path).status_code in (403, 404)
    assert login(None).post(path).status_code in (403, 404)
    assert login("operator", staff=False).post(path).status_code == 302
    assert Client().post(path).status_code == 302
    assert login("operator", enforce_csrf_checks=True).post(path).status_code == 403
    if name == "add":
        data = {**HIRE, "organization": str(world.organization.pk), "user": world.user.username}
        assert login("operator", at=elsewhere).post(path, data).status_code == 200  # the form, refusing
    else:
        assert login("operator", at=elsewhere).post(path).status_code == 404
    assert list(Seat.objects.order_by("pk").values()) == before
