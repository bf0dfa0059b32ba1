"""The roster: who works now, who owes something, who is off; and what a request of a worker shows."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.workforce.admin.conftest import World, post
from workforce import clock
from workforce.models import InventoryMembership, Item, Request, Seat, Session
from workforce.selectors.shifts import Shift, seats_standing, standings_of

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
