"""The roster: who works now, who will, who is off; and a user's own workers hired, forked, edited and fired."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.factories import make_user
from tests.workforce.admin.conftest import Login, World, post
from workforce import clock
from workforce.models import InventoryMembership, Item, Request, Seat, Session
from workforce.selectors.shifts import Shift, seats_standing, standings_of
from workforce.services.organizations import ensure_membership

ROSTER = "/admin/workforce/seat/"
EVIL = "<script>alert(1)</script>"


def page_path(seat: Seat, name: str = "change") -> str:
    return f"{ROSTER}{seat.pk}/{name}/"


def words(answer: HttpResponse) -> str:
    return " ".join(str(message) for message in get_messages(answer.wsgi_request))


def make_seat(world: World, seat_id: str = "acme.spare", **fields: Any) -> Seat:
    values = {"kind": "agent", "description": "Waits.", **fields}
    return Seat.objects.create(organization=world.organization, seat_id=seat_id, **values)


def give_work(world: World, seat: Seat, *statuses: str) -> list[Request]:
    session = Session.objects.create(
        organization=world.organization, owner=world.user, kind="agent", seat=seat, address=f"work-{seat.pk}"
    )
    return [
        Request.objects.create(session=session, action="run", source="http", status=status)
        for status in statuses
    ]


def join(seat: Seat) -> None:
    InventoryMembership.objects.create(
        organization=seat.organization, seat_id=seat.seat_id, mailbox_id="acme.help"
    )


DRAINS = {"drains": ["acme.help.triage"]}


@pytest.mark.parametrize(
    ("statuses", "member", "settings", "retired", "shift"),
    [
        (["in_progress"], False, {}, False, Shift.ON_SHIFT),
        (["in_progress", "pending"], True, DRAINS, False, Shift.ON_SHIFT),
        (["in_progress"], False, {}, True, Shift.ON_SHIFT),
        (["pending"], False, {}, False, Shift.ON_CALL),
        ([], True, {}, False, Shift.OFF_SHIFT),
        ([], False, DRAINS, False, Shift.OFF_SHIFT),
        (["completed", "failed", "aborted"], False, {}, False, Shift.OFF_SHIFT),
        ([], False, {"drains": [], "model": '"drains":["x"]'}, False, Shift.OFF_SHIFT),
        (["pending"], True, DRAINS, True, Shift.OFF_SHIFT),
    ],
)
def test_shift__of_each_seat(
    operator: Client,
    world: World,
    elsewhere: World,
    statuses: list[str],
    member: bool,
    settings: dict[str, Any],
    retired: bool,
    shift: Shift,
) -> None:
    seat = make_seat(world, settings=settings, retired_at=clock.now() if retired else None)
    requests = give_work(world, seat, *statuses)
    # What other seats and organizations do says nothing.
    give_work(elsewhere, elsewhere.seat, "in_progress")
    InventoryMembership.objects.create(
        organization=elsewhere.organization, seat_id=seat.seat_id, mailbox_id="umbrella.help"
    )
    if member:
        join(seat)
    standing = standings_of([seat])[seat.pk]
    assert (standing.shift, standing.conversations) == (shift, 1)
    assert (standing.running, standing.waiting) == (statuses.count("in_progress"), statuses.count("pending"))
    for each in Shift:
        assert (seat in seats_standing(Seat.objects.all(), each)) == (each is shift)
        shown = operator.get(f"{ROSTER}?state={each.replace(' ', '-')}")
        assert (seat in shown.context["cl"].result_list) == (each is shift)
    page = operator.get(page_path(seat)).content.decode()
    assert shift in page
    running = [request for request in requests if request.status == "in_progress"]
    assert (f"/admin/workforce/request/{requests[0].pk}/" in page) == bool(running) if requests else True


def test_shift__a_users_own_is_given_no_rows(world: World) -> None:
    own = make_seat(world, owner=world.user, settings=DRAINS)
    assert standings_of([own])[own.pk].shift is Shift.OFF_SHIFT
    assert own in seats_standing(Seat.objects.all(), Shift.OFF_SHIFT)


@pytest.mark.parametrize("stored", ["{", '"text"', "[1]"])
def test_row__that_somebody_broke_is_shown(stored: str, operator: Client, world: World) -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE workforce_seat SET settings = %s", [stored])
    paths = [f"/admin/workforce/seat/{seat.pk}/change/" for seat in Seat.objects.all()]
    assert paths
    for path in ["/admin/", "/admin/workforce/seat/", *paths]:
        assert operator.get(path).status_code == 200, path


def test_list__leads_to_the_run_and_the_conversations(operator: Client, world: World) -> None:
    (run,) = give_work(world, world.seat, "in_progress")
    page = operator.get(ROSTER).content.decode()
    assert f"/admin/workforce/request/{run.pk}/change/" in page
    there = operator.get(f"/admin/workforce/session/?seat__id__exact={world.seat.pk}")
    assert there.status_code == 200
    assert {session.seat for session in there.context["cl"].result_list} == {world.seat}
    assert len(there.context["cl"].result_list) == 2


def test_list__filters_by_kind_owner_and_standing(operator: Client, world: World) -> None:
    own = make_seat(world, "mine", owner=world.user)
    gone = make_seat(world, "gone", retired_at=clock.now())
    other = make_seat(world, "other", kind="coordinator")

    def found(query: str) -> set[Seat]:
        return set(operator.get(f"{ROSTER}?{query}").context["cl"].result_list)

    assert found("") == {world.seat, own, gone, other}
    assert found("kind=agent") == {world.seat, own, gone}
    assert found("whose=own") == {own}
    assert found("standing=retired") == {gone}
    assert found("state=on-call") == set()
    give_work(world, world.seat, "pending")
    assert found("state=on-call") == {world.seat}
    assert found("state=nonsense&q=mine") == {own}


def queries(client: Client, path: str) -> int:
    client.get(path)  # what a session needs once
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return len(captured)


def test_pages__cost_the_same_however_much_there_is(operator: Client, world: World) -> None:
    paths = [ROSTER, f"{ROSTER}?state=on-shift", f"{ROSTER}?state=off-shift", page_path(world.seat)]
    request_page = f"/admin/workforce/request/{world.waiting.pk}/change/"
    give_work(world, world.seat, "in_progress")
    make_seat(world, "acme.idle")
    Item.objects.create(
        session=world.session, seq=100, type="message", request=world.waiting, data={"text": "x"}
    )
    before = [queries(operator, path) for path in [*paths, request_page]]
    for number in range(12):
        seat = make_seat(world, f"acme.more-{number}", owner=world.user if number % 2 else None)
        join(seat)
        give_work(world, seat, *["in_progress", "pending"] * (number % 3))
        session = Session.objects.create(
            organization=world.organization,
            owner=world.user,
            kind="agent",
            seat=world.seat,
            address=f"x{number}",
        )
        Request.objects.create(session=session, action="run", source="http", status="in_progress")
        Item.objects.create(
            session=world.session, seq=200 + number, type="message", request=world.waiting, data={"text": "x"}
        )
    assert [queries(operator, path) for path in [*paths, request_page]] == before


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


def test_request__shows_its_items_tokens_and_worker(operator: Client, world: World) -> None:
    child = Session.objects.get(seat=world.seat)
    started = clock.now()
    run = Request.objects.create(
        session=child, action="run", source="http", status="failed", attempts=2, started_at=started,
        ended_at=started, input_tokens=1234, output_tokens=56, error={"code": "model-unreachable", "message": EVIL},
    )  # fmt: skip
    shown = [
        ("message", {"role": "user", "text": "Why is it red?"}),
        (
            "tool_output",
            {"tool": "read-document", "input": {"name": "handbook"}, "output": {"body": "Kindly."}},
        ),
        ("error", {"code": "model-unreachable", "message": EVIL}),
    ]
    for number, (type, data) in enumerate(shown, 1):
        Item.objects.create(session=child, seq=number, type=type, request=run, data=data)
    post(world.session, "of another request")
    page = operator.get(f"/admin/workforce/request/{run.pk}/change/").content.decode()
    for text in (
        "Why is it red?",
        "read-document",
        "handbook",
        "1,234 in, 56 out",
        "attempt 2",
        "took 0.0 s",
    ):
        assert text in page, text
    assert page_path(world.seat) in page
    assert "of another request" not in page
    assert EVIL not in page
    assert f"/{run.pk}/retry/" in page


def test_request__a_long_turn_is_cut(operator: Client, world: World) -> None:
    Item.objects.bulk_create(
        Item(
            session=world.session,
            seq=1000 + number,
            type="message",
            request=world.waiting,
            data={"text": "x"},
        )
        for number in range(101)
    )
    page = operator.get(f"/admin/workforce/request/{world.waiting.pk}/change/").content.decode()
    assert "More than 100 items" in page
