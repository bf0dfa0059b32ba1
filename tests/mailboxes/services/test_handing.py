"""Lines and filings that other flows hand to a mailbox."""

from __future__ import annotations

from typing import Any

import pytest

from boards.models import Board, Task
from mailboxes.services.handing import access_mailbox, hand_in
from tests.conftest import Player
from tests.mailboxes.routes import BOX, MEMBERS, Script, post, routes
from workforce.dispatch.sweep import run_due
from workforce.errors import ExternalDispatcher
from workforce.kinds import Call
from workforce.models import Request, Session

DEVICES = MEMBERS[0]


@pytest.fixture
def flow(owner: Player) -> Call:
    """A run of another flow of the owner's."""
    session = Session.objects.create(
        organization=owner.organization, owner=owner.user, kind="announcements", address="a.flow"
    )
    request = Request.objects.create(session=session, action="later", source="dispatch", status="in_progress")
    return Call(session=session, request=request, input=None)


def commit(flow: Call) -> None:
    Request.objects.bulk_create(flow.owed)
    flow.owed.clear()
    run_due()


def test_hand_in__a_clients_kind_of_line(owner: Player, routed: Session, script: Script, flow: Call) -> None:
    script.answers = [DEVICES]
    box = access_mailbox(sender=flow.session, address=BOX, entry="post")
    for _ in range(2):  # the key names the effect: the second finds the first
        given = {"body": "From a flow.", "author": DEVICES}
        hand_in(call=flow, mailbox=box, entry="post", input=given, key="flow:1")
        commit(flow)
    (line,) = owner.api.transcript(BOX)
    assert (line["body"], line["author"], line["principal"]) == ("From a flow.", DEVICES, "ada")
    assert not {"seatAuthored", "passname"} & set(line)
    assert [route["member"] for route in routes(routed)] == [DEVICES]


def test_hand_in__a_filing_without_a_seat_behind_it(
    owner: Player, routed: Session, script: Script, flow: Call
) -> None:
    Board.objects.create(organization=owner.organization, board_id=f"{BOX}.todo", mailbox_id=BOX, name="todo")
    row = {"board": "todo", "goal": "Call back.", "author": DEVICES}
    hand_in(call=flow, mailbox=routed, entry="fileTask", input=row, key="flow:1")
    commit(flow)
    event = Task.objects.get().events.get()
    assert (event.principal, event.seat) == ("ada", "")  # an author is only a label


@pytest.mark.parametrize("entry", ["post", "seatPost", "answer", "fileTask"])
def test_hand_in__refused_where_nothing_may_be_started(
    owner: Player,
    routed: Session,
    script: Script,
    flow: Call,
    settings: Any,
    nothing_written: Any,
    entry: str,
) -> None:
    settings.DISPATCH = "disabled"
    with nothing_written():
        with pytest.raises(ExternalDispatcher):
            access_mailbox(sender=flow.session, address=BOX, entry=entry)
        with pytest.raises(ExternalDispatcher):
            hand_in(call=flow, mailbox=routed, entry=entry, input={}, key="flow:1")
    assert flow.owed == []


def test_post__of_a_client_is_written_and_routed_neither_then_nor_later(
    owner: Player, routed: Session, script: Script, settings: Any
) -> None:
    settings.DISPATCH = "disabled"
    post(owner, "Is anybody there?")
    settings.DISPATCH = "enabled"
    run_due()
    assert (routes(routed), script.asked, script.heard) == ([], [], [])
    assert not Request.objects.filter(action="onPosted").exists()
    script.answers = [DEVICES]
    post(owner, "Hello?")
    assert [route["by"] for route in routes(routed)] == ["evaluated"]
    assert script.heard[0].recent == [{"from": "ada", "text": "Is anybody there?"}]
