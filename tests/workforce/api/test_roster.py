"""The roster and the inventory over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.clients import problem
from tests.conftest import Player
from workforce import clock
from workforce.models import InventoryMailbox, InventoryMembership, InventorySeat


def ids(player: Player, path: str) -> list[str]:
    answer = player.api.get(path)
    assert answer.status_code == 200, answer.content
    return [entry.get("id") or f"{entry['seat']} in {entry['mailbox']}" for entry in answer.json()["items"]]


def test_workers__ones_own_first_then_the_organizations(
    owner: Player, stranger: Player, outsider: Player, seat: Any
) -> None:
    seat("my-first", owner=owner.user)
    seat("eng.one")
    seat("eng.two")
    seat("my-second", owner=owner.user)
    seat("eng.three")
    seat("theirs", owner=stranger.user)
    seat("eng.gone", retired_at=clock.now())
    seat("elsewhere", organization=outsider.organization)
    standard = ["eng.three", "eng.two", "eng.one"]
    mine = ["my-second", "my-first"]
    assert ids(owner, "/api/workers") == mine + standard
    assert ids(stranger, "/api/workers") == ["theirs", *standard]
    assert ids(outsider, "/api/workers") == ["elsewhere"]
    seen, cursor = [], ""
    while True:
        body = owner.api.get(f"/api/workers?limit=2{cursor}").json()
        seen += [entry["id"] for entry in body["items"]]
        if "nextCursor" not in body:
            break
        cursor = f"&cursor={body['nextCursor']}"
    assert seen == mine + standard


def test_workers__the_shape(owner: Player, seat: Any) -> None:
    hired = seat("eng.one", description="Reads.", instructions="Secret.", settings={"model": "secret"})
    answer = owner.api.get("/api/workers")
    shown = {"id": "eng.one", "flowKind": "agent", "owner": "organization", "description": "Reads."}
    assert answer.json() == {"items": [{**shown, "hiredAt": clock.to_ms(hired.hired_at)}]}
    assert "ecret" not in answer.content.decode()
    seat("mine", owner=owner.user)
    assert owner.api.get("/api/workers").json()["items"][0]["owner"] == "user"


def test_workers__filters(owner: Player, seat: Any) -> None:
    seat("eng.one", description="Reads logs.")
    seat("eng.two", kind="coordinator", description="Leads.")
    assert ids(owner, "/api/workers?flowKind=coordinator") == ["eng.two"]
    assert ids(owner, "/api/workers?q=READS") == ["eng.one"]
    assert ids(owner, "/api/workers?q=eng%20leads") == ["eng.two"]


def test_inventory__of_ones_own_organization(owner: Player, outsider: Player) -> None:
    opened = clock.now()
    for player, name in ((owner, "eng"), (outsider, "far")):
        of = {"organization": player.organization}
        for seat in ("one", "two"):
            InventorySeat.objects.create(seat_id=f"{name}.{seat}", kind="agent", hired_at=opened, **of)
            InventoryMembership.objects.create(seat_id=f"{name}.{seat}", mailbox_id=f"{name}.box", **of)
        members = [f"{name}.one", f"{name}.two"]
        InventoryMailbox.objects.create(
            mailbox_id=f"{name}.box", kind="mailbox", members=members, opened_at=opened, **of
        )
    moment = clock.to_ms(opened)
    assert owner.api.get("/api/inventory/seats").json()["items"] == [
        {"id": "eng.two", "kind": "agent", "hired": moment},
        {"id": "eng.one", "kind": "agent", "hired": moment},
    ]
    assert owner.api.get("/api/inventory/mailboxes").json()["items"] == [
        {"id": "eng.box", "kind": "mailbox", "members": ["eng.one", "eng.two"], "openedAt": moment}
    ]
    assert ids(owner, "/api/inventory/members") == ["eng.two in eng.box", "eng.one in eng.box"]
    assert ids(owner, "/api/inventory/members?seat=eng.one") == ["eng.one in eng.box"]
    assert ids(owner, "/api/inventory/members?mailbox=eng.box&seat=far.one") == []
    assert ids(owner, "/api/inventory/seats?seat=eng.two") == ["eng.two"]
    assert ids(owner, "/api/inventory/mailboxes?mailbox=far.box") == []
    assert ids(outsider, "/api/inventory/mailboxes?mailbox=far.box") == ["far.box"]


@pytest.mark.parametrize("path", ["workers", "inventory/seats", "inventory/mailboxes", "inventory/members"])
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("limit=0", "invalid-input"),
        ("limit=201", "invalid-input"),
        ("cursor=x", "invalid-cursor"),
        ("user=bob", "unknown-parameter"),
    ],
)
def test_lists__bad_queries(owner: Player, path: str, query: str, code: str) -> None:
    problem(owner.api.get(f"/api/{path}?{query}"), 400, code, query.partition("=")[0])
