"""Looking up the organization in a turn: only what the file lists, only its own rows, and not without end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.conftest import Player
from tests.workforce.hires import hire
from tests.workforce.tools.turns import call, offered, tools_of, turn_of
from workforce import clock
from workforce.clock import to_ms
from workforce.models import InventoryMailbox, InventoryMembership, InventorySeat, Organization, Seat
from workforce.tools.discovering import LISTED, MEMBERS, UnknownDomain

Standard = Callable[..., Seat]
BOTH = ["mailboxes", "seats"]


def open_box(organization: Organization, mailbox_id: str, *members: str) -> None:
    of = {"organization": organization, "mailbox_id": mailbox_id}
    InventoryMailbox.objects.create(kind="mailbox", members=list(members), **of)
    for member in members:
        InventoryMembership.objects.create(seat_id=member, **of)


@pytest.fixture
def lead(owner: Player, outsider: Player, seat: Standard) -> Seat:
    """A seat in one of two mailboxes, beside one that left and an organization that is nobody's business."""
    moment = clock.now()
    for player, name in ((owner, "support"), (outsider, "secret")):
        for who in ("lead", "gone"):
            InventorySeat.objects.create(
                organization=player.organization, seat_id=f"{name}.{who}", kind="agent", hired_at=moment
            )
    open_box(owner.organization, "a.other", "support.gone")
    open_box(owner.organization, "support.help", "support.lead", "nobody.there")
    open_box(outsider.organization, "secret.help", "support.lead")
    seat("support.gone", retired_at=moment)
    return seat("support.lead", settings={"discover": BOTH}, description="Leads.")


@pytest.mark.parametrize("domains", [[], ["seats"], BOTH])
def test_offer__to_a_worker_with_domains(seat: Standard, domains: list[str]) -> None:
    one = seat(settings={"discover": domains, "tools": ["discover"]})
    assert offered(one) == ({"discover"} if domains else set())
    for tool in tools_of(turn_of(one)):
        assert [domain for domain in BOTH if f"'{domain}'" in tool.description] == domains


def test_mailboxes__those_it_is_in_first(lead: Seat) -> None:
    assert call(lead, "discover", domain="mailboxes") == {
        "mailboxes": [
            {
                "id": "support.help",
                "kind": "mailbox",
                "joined": True,
                "members": ["support.lead", "nobody.there"],
            },
            {"id": "a.other", "kind": "mailbox", "joined": False, "members": ["support.gone"]},
        ]
    }


def test_seats__with_what_they_are_for(lead: Seat) -> None:
    hired = to_ms(InventorySeat.objects.get(seat_id="support.lead").hired_at)
    assert call(lead, "discover", domain="seats") == {
        "seats": [
            {"id": "support.gone", "kind": "agent", "hired": hired, "retired": True},
            {"id": "support.lead", "kind": "agent", "hired": hired, "description": "Leads."},
        ]
    }


def test_discover__a_users_own_worker_finds_the_organizations_rows(lead: Seat, owner: Player) -> None:
    own = hire(owner, "mine", settings={"discover": BOTH})
    found = call(own, "discover", domain="seats")["seats"]
    assert [entry["id"] for entry in found] == ["support.gone", "support.lead"]
    found = call(own, "discover", domain="mailboxes")["mailboxes"]
    assert [(entry["id"], entry["joined"]) for entry in found] == [
        ("a.other", False),
        ("support.help", False),
    ]


def test_discover__is_bounded_in_rows_and_queries(lead: Seat, owner: Player) -> None:
    members = [f"m{number}" for number in range(MEMBERS + 7)]
    for number in range(LISTED + 3):
        open_box(owner.organization, f"b.box{number:03}", *members[:2])
        InventorySeat.objects.create(organization=owner.organization, seat_id=f"s{number}", kind="agent")
    open_box(owner.organization, "a.big", *members)
    for domain in BOTH:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            found = call(lead, "discover", domain=domain)
        assert (len(found[domain]), found["more"]) == (LISTED, 6 if domain == "mailboxes" else 5)
        assert len(queries) <= 3
    found = call(lead, "discover", domain="mailboxes")["mailboxes"]
    assert found[0]["joined"]
    big = next(entry for entry in found if entry["id"] == "a.big")
    assert (len(big["members"]), big["more"]) == (MEMBERS, 7)


@pytest.mark.parametrize(
    ("domains", "domain", "words"),
    [
        (
            BOTH,
            "mailbox",
            "unknown domain 'mailbox' (did you mean 'mailboxes'?); known: 'mailboxes', 'seats'",
        ),
        (["seats"], "mailboxes", "unknown domain 'mailboxes'; known: 'seats'"),
        (BOTH, "", "unknown domain ''; known: 'mailboxes', 'seats'"),
    ],
)
def test_discover__an_unknown_domain_names_the_valid_ones(
    seat: Standard, domains: list[str], domain: str, words: str
) -> None:
    with pytest.raises(UnknownDomain) as caught:
        call(seat(settings={"discover": domains}), "discover", domain=domain)
    assert (caught.value.code, caught.value.words) == ("unknown-domain", words)


def test_discover__needs_no_more_than_the_domain(lead: Seat) -> None:
    with pytest.raises(Exception, match="unknown key"):
        call(lead, "discover", domain="seats", limit=1)
