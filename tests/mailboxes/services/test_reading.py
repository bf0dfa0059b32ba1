"""Reading a mailbox back, through the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from mailboxes.models import Declaration
from tests.clients import problem
from tests.conftest import Mailbox, Player
from workforce.dispatch.sweep import run_due
from workforce.models import LINE, Item, Request, Session
from workforce.services.items import append_item


def read(player: Player, address: str = "support.help", **input: Any) -> dict[str, Any]:
    answer = player.api.act(address, "read", input)
    assert answer.status_code == 200, answer.content
    output: dict[str, Any] = answer.json()["output"]
    return output


def bodies(player: Player) -> list[str]:
    return [line["body"] for line in player.api.transcript("support.help")]


def fill(session: Session, number: int) -> None:
    """Lines as posts to an empty roster leave them, in bulk."""
    first = session.line_seq
    requests = [
        Request(session=session, action="post", source="http", status="completed", counted=2)
        for _ in range(number)
    ]
    Request.objects.bulk_create(requests)
    Item.objects.bulk_create(
        Item(
            session=session, seq=first + place, line_seq=first + place, type="component", component=LINE,
            request_id=request.uid, principal="ada", body=f"line {first + place}",
        )
        for place, request in enumerate(requests, start=1)
    )  # fmt: skip
    session.item_seq = session.line_seq = first + number
    session.save()


def test_read__keys_in_order(owner: Player, mailbox: Mailbox) -> None:
    mailbox(members=["b.two", "a.one"], description="Customers write here.", charter="Secret.")
    Declaration.objects.create(
        organization=owner.organization, mailbox_id="support.help", kind="mailbox", boards=["triage", "later"]
    )
    line = owner.api.line("support.help")
    shown = read(owner)
    assert list(shown) == ["id", "description", "members", "boards", "transcript"]
    assert shown == {
        "id": "support.help",
        "description": "Customers write here.",
        "members": ["b.two", "a.one"],
        "boards": ["later", "triage"],
        "transcript": [line],
    }


def test_read__what_it_has_not_is_absent(owner: Player, mailbox: Mailbox) -> None:
    mailbox()
    assert read(owner) == {"id": "support.help", "members": [], "transcript": []}


def test_read__the_declaration_counts_for_boards_only_and_only_while_live(
    owner: Player, mailbox: Mailbox
) -> None:
    mailbox(members=["a.one"])
    declared = Declaration.objects.create(
        organization=owner.organization, mailbox_id="support.help", kind="mailbox", boards=["triage"],
        members=["b.two"], description="Another.", live=False,
    )  # fmt: skip
    assert read(owner) == {"id": "support.help", "members": ["a.one"], "transcript": []}
    declared.live = True
    declared.save()
    assert read(owner) == {
        "id": "support.help",
        "members": ["a.one"],
        "boards": ["triage"],
        "transcript": [],
    }


@pytest.mark.parametrize("after", [0, 1, 2**53, None])
def test_read__after_is_taken_and_ignored(owner: Player, mailbox: Mailbox, after: int | None) -> None:
    mailbox()
    owner.api.line("support.help")
    assert len(read(owner, after=after)["transcript"]) == 1


@pytest.mark.parametrize("given", [{"after": -1}, {"after": "1"}, {"after": 1.5}, {"after": True}, {"of": 1}])
def test_read__bad_input(
    owner: Player, mailbox: Mailbox, nothing_written: Any, given: dict[str, Any]
) -> None:
    mailbox()
    with nothing_written():
        problem(owner.api.act("support.help", "read", given), 400, "invalid-input", next(iter(given)))


def test_read__with_the_reading_grant_alone(owner: Player, mailbox: Mailbox) -> None:
    mailbox()
    owner.api.line("support.help")
    key = owner.actor.keys.get()
    key.grants = ["flows:read"]
    key.save()
    assert len(read(owner)["transcript"]) == 1
    problem(owner.api.act("support.help", "post", {"body": "x"}), 403, "not-granted")
    key.grants = ["flows:write"]
    key.save()
    problem(owner.api.act("support.help", "read"), 403, "not-granted", "flows:read")


def test_read__template_and_unbound(owner: Player) -> None:
    problem(owner.api.act("nobody.opened", "read"), 409, "mailbox-not-bound", "nobody.opened")
    Declaration.objects.create(
        organization=owner.organization, mailbox_id="rooms.template", kind="mailbox", is_template=True
    )
    problem(owner.api.act("rooms.template", "read"), 409, "mailbox-is-a-template")


def test_read__fifty_lines_of_an_empty_roster(owner: Player, mailbox: Mailbox) -> None:
    session = mailbox()
    fill(session, 49)
    owner.api.line("support.help", "line 50")
    assert bodies(owner) == [f"line {number}" for number in range(1, 51)]
    owner.api.line("support.help", "line 51")
    assert bodies(owner) == [f"line {number}" for number in range(2, 52)]
    found = owner.api.get("/api/sessions/support.help/items?component=mailbox-post&limit=200").json()["items"]
    assert len(found) == 51


def test_read__a_post_that_tells_members_counts_twice(owner: Player, mailbox: Mailbox, settings: Any) -> None:
    settings.HISTORY_WINDOW = 6
    mailbox(members=["support.lead"])
    for number in range(1, 6):
        owner.api.line("support.help", f"line {number}")
    assert bodies(owner) == ["line 3", "line 4", "line 5"]
    run_due()
    assert bodies(owner) == ["line 3", "line 4", "line 5"]
    settings.DISPATCH = "disabled"
    owner.api.line("support.help", "line 6")
    owner.api.line("support.help", "line 7")
    assert bodies(owner) == ["line 4", "line 5", "line 6", "line 7"]


@pytest.mark.parametrize("window", [1, 2, 3, 4])
def test_read__the_window_may_cut_between_a_post_and_its_fan_out(
    owner: Player, mailbox: Mailbox, settings: Any, window: int
) -> None:
    settings.HISTORY_WINDOW = window
    mailbox(members=["support.lead"])
    for number in range(1, 4):
        owner.api.line("support.help", f"line {number}")
    assert len(bodies(owner)) == window // 2


def test_read__refusals_and_reads_use_none_of_the_window(
    owner: Player, mailbox: Mailbox, settings: Any
) -> None:
    settings.HISTORY_WINDOW = 2
    mailbox()
    owner.api.line("support.help", "line 1")
    owner.api.line("support.help", "line 2")
    for _ in range(3):
        problem(
            owner.api.act("support.help", "post", {"body": "x", "author": "no.one"}),
            422,
            "author-not-a-member",
        )
        assert bodies(owner) == ["line 1", "line 2"]
    assert Request.objects.filter(counted__gt=0).count() == 2


def test_read__other_items_are_no_lines_and_use_no_number(owner: Player, mailbox: Mailbox) -> None:
    session = mailbox()
    owner.api.line("support.help", "line 1")
    session.refresh_from_db()
    append_item(
        session=session, request=Request.objects.get(), type=Item.Type.COMPONENT,
        component="mailbox-route", data={"by": "held"},
    )  # fmt: skip
    line = owner.api.line("support.help", "line 2")
    assert line["seq"] == 2
    assert Item.objects.get(id=line["id"]).seq == 3
    assert bodies(owner) == ["line 1", "line 2"]


def test_read__as_many_queries_for_300_lines_as_for_10(
    owner: Player, mailbox: Mailbox, settings: Any
) -> None:
    settings.HISTORY_WINDOW = 300
    session = mailbox()
    counts = []
    owner.api.get("/api/flows")  # writes when the key was last used
    for number in (10, 290):
        fill(session, number)
        with CaptureQueriesContext(connection) as queries:
            assert len(read(owner)["transcript"]) == session.line_seq
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 12
